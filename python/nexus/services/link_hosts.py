"""Which host a link leads to, in SQL: so that no host takes all the slots of a worker, nor is asked too often."""


def host_of(column: str) -> str:
    """With its port, without user and password. Slashes in any number and backslashes, as browsers read a link."""
    return rf"lower(substring({column} from '(?i)^\s*https?:[/\\]*(?:[^/?#@\\]*@)?([^/?#\\]+)'))"
