"""The host of a link, in SQL: no host may take all slots of a worker, or be requested too often."""


def host_of_column(column: str) -> str:
    """With its port, without user and password. Slashes in any number and backslashes, as browsers read a link."""
    return rf"lower(substring({column} from '(?i)^\s*https?:[/\\]*(?:[^/?#@\\]*@)?([^/?#\\]+)'))"
