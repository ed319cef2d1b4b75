"""In place of an S3 server that can be killed: passes bytes to one that keeps its objects in memory only.

python forwarder.py PORT TARGET_PORT
"""

import asyncio
import sys
from contextlib import suppress


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with suppress(ConnectionError):
        writer.close()
        await writer.wait_closed()


async def main(port: int, target: int) -> None:
    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", target)
            await asyncio.gather(copy(reader, there_writer), copy(there_reader, writer))

    async with await asyncio.start_server(forward, "127.0.0.1", port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
