"""Logs in through the official Python SDK 2.x, is refused, asks for more, and goes on.

usage: login.py <URL> <legacy|auto>
"""

import asyncio
import http.cookiejar
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

CALLBACK = "http://127.0.0.1:9/callback"
target, mode = sys.argv[1:]
asked = []


class Kept:
    """What a client keeps of itself."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Arrived(Exception):
    """The browser was sent back to us."""


class Browser(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request, body, code, message, headers, url):
        if url.startswith(CALLBACK):
            raise Arrived(url)
        return super().redirect_request(request, body, code, message, headers, url)


def visit(url):
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    try:
        urllib.request.build_opener(cookies, Browser()).open(url).read()
    except Arrived as arrived:
        query = urllib.parse.urlparse(str(arrived)).query
        return {name: values[0] for name, values in urllib.parse.parse_qs(query).items()}
    raise AssertionError("the issuer sent nobody back")


answer = {}


async def redirect(url):
    asked.append(urllib.parse.parse_qs(urllib.parse.urlparse(url).query)["scope"][0])
    answer.update(await asyncio.to_thread(visit, url))


async def callback():
    return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))


async def main():
    metadata = OAuthClientMetadata(
        client_name="login",
        redirect_uris=[CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(target, metadata, Kept(), redirect, callback)
    async with httpx2.AsyncClient(auth=provider, timeout=60) as connection:
        transport = streamable_http_client(target, http_client=connection)
        async with Client(transport, mode=mode) as client:
            modes = await client.call_tool("list_modes", {})
            written = await client.call_tool("write_file", {"file_path": "made.txt", "content": "x"})
            protocol = client.protocol_version
    print(json.dumps({
        "asked": asked,
        "modes": modes.content[0].text.splitlines()[0],
        "written": not written.is_error,
        "protocol": protocol,
    }))


asyncio.run(main())
