"""The headers of a file that a browser saves and never shows."""

from urllib.parse import quote

from nexus.services.file_names import file_name


def attachment_headers(title: str | None, suffix: str) -> dict[str, str]:
    """`suffix` with its dot. Whatever a browser did with the file all the same, it would be of no origin."""
    name = file_name(title) + suffix
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
