"""A group of commands one of which need not be named."""

from typing import Any

from typer.core import TyperGroup


class DefaultCommandGroup(TyperGroup):
    default = "for"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [self.default, *args]
        return super().parse_args(ctx, args)
