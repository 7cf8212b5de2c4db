"""Client for a Tintype service: image hosting, screenshots and PDFs. One file, Python 3.9 or newer, standard library only.

    from tintype import Tintype

    tintype = Tintype()  # uses TINTYPE_URL and TINTYPE_API_KEY
    print(tintype.upload("photo.jpg", expires_in=86_400).url)
    tintype.screenshot("https://example.com/", full_page=True).save("example.png")

It retries like the TypeScript client: a refused request is never repeated, Retry-After is respected, and a request whose response was
lost is sent again with the same Idempotency-Key, so that it is done and metered once. Several threads may use one client.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import dataclasses
import email.utils
import errno
import hashlib
import hmac
import http.client
import json
import math
import os
import random
import re
import secrets
import shutil
import socket
import ssl
import time
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import (
    Any, AsyncIterator, BinaryIO, Callable, Dict, Generator, Generic, Iterable, Iterator, List, Literal, Mapping, Optional, Tuple, Type,
    TypedDict, TypeVar, Union,
)  # fmt: skip

__version__ = "0.1.18"
__all__ = [
    "Album", "AlbumChanges", "Albums", "AuthenticationError", "BatchFailure", "BatchItem", "BatchResult", "BatchSuccess", "Done",
    "Download", "Failed", "File", "HostedPdf", "HostedRender", "HostedScreenshot", "ItemError", "Meta", "NewAlbum", "NewUploadLink",
    "Outcome", "Page", "Quota", "QuotaExceededError", "RateLimit", "RateLimitError", "Render", "RenderError", "RequestError", "Retry",
    "StoredUpload", "Tintype", "TintypeError", "UnavailableError", "Upload", "UploadChanges", "UploadLink", "UploadLinks", "Uploads",
    "Usage", "sign_link",
]  # fmt: skip

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO]
#: A path, bytes or a binary file object; or (filename, one of these) to give it a name.
File = Union[Source, Tuple[str, Source]]

_SECONDS = {"upload": 300.0, "delete": 30.0}
_FIRST_WAIT = 1.0
_FIRST_JITTER = 0.5
_LONGEST_BACK_OFF = 30.0
# If Retry-After is longer, the call fails: its caller decides whether to wait that long.
_LONGEST_RETRY_AFTER = 300.0
_RETRIES = {"limited": math.inf, "twice": 2, "transient": math.inf, "final": 0}

# Time and randomness, so that a test can replace both.
_now = time.time
_sleep = time.sleep
_random = random.random


@dataclass(frozen=True)
class RateLimit:
    limit: int
    remaining: int
    reset_seconds: int


@dataclass(frozen=True)
class Quota:
    limit: int
    remaining: int
    usage_percent: Optional[int]
    #: 80, 90 or 100, once usage has crossed that threshold.
    warning: Optional[int]
    is_overage: bool


@dataclass(frozen=True)
class Meta:
    """What the headers of a response say."""

    request_id: Optional[str]
    rate_limit: Optional[RateLimit]
    quota: Optional[Quota]
    #: True if the service had already handled this request and repeated its first response.
    is_replay: bool
    #: How many times the request was sent.
    attempts: int


@dataclass(frozen=True)
class ItemError:
    code: str
    message: str


@dataclass(frozen=True)
class BatchSuccess:
    index: int
    source_filename: str
    upload: Upload
    ok: Literal[True] = True
    error: None = None


@dataclass(frozen=True)
class BatchFailure:
    index: int
    source_filename: str
    error: ItemError
    ok: Literal[False] = False
    upload: None = None


#: `if item.ok:` tells type checkers which of the two it is.
BatchItem = Union[BatchSuccess, BatchFailure]


@dataclass(frozen=True)
class BatchResult:
    #: One for each file, in the given order.
    items: List[BatchItem]
    total: int
    succeeded: int
    failed: int
    #: Of the last request; None if no file could be sent.
    meta: Optional[Meta] = field(repr=False)


@dataclass(frozen=True)
class Render:
    """A picture, a PDF, or text or data of a page."""

    id: str
    data: bytes = field(repr=False)
    content_type: str
    duration_ms: Optional[int]
    meta: Meta = field(repr=False)

    def save(self, path: Union[str, "os.PathLike[str]"], *, overwrite: bool = False) -> str:
        """Writes the whole file or nothing, and returns its path. In a folder, the file is named after the id.

        Raises FileExistsError if the file exists, unless overwrite is true.
        """
        return _save(self.id, self.content_type, self.data, path, overwrite)


@dataclass(frozen=True)
class Download:
    """A hosted file."""

    #: The last part of its address.
    name: str
    data: bytes = field(repr=False)
    content_type: str
    meta: Meta = field(repr=False)

    def save(self, path: Union[str, "os.PathLike[str]"], *, overwrite: bool = False) -> str:
        """As Render.save; in a folder, the file is named after its address."""
        return _save(self.name, self.content_type, self.data, path, overwrite)


_Item = TypeVar("_Item")
_Source = TypeVar("_Source")
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Page(Generic[_Item]):
    """A page of a list, the newest first."""

    items: List[_Item]
    #: For the next page; None on the last one.
    next_cursor: Optional[str]
    meta: Meta = field(repr=False)


@dataclass(frozen=True)
class Done(Generic[_Source, _Made]):
    source: _Source
    result: _Made
    ok: Literal[True] = True


@dataclass(frozen=True)
class Failed(Generic[_Source]):
    source: _Source
    error: TintypeError
    ok: Literal[False] = False


#: One of many calls; `if outcome.ok:` tells type checkers which of the two it is.
Outcome = Union[Done[_Source, _Made], Failed[_Source]]


_ENDINGS = {"text/plain": "txt", "text/markdown": "md", "multipart/related": "mhtml"}


class TintypeError(Exception):
    """Everything that can go wrong with a call. A wrong argument is a TypeError or ValueError instead, and nothing is sent.

    code is one of the API's own, or connection_failed, timeout, unavailable (a 5xx that is not the service's), bad_answer or
    unreadable_file.
    """

    def __init__(
        self, code: str, message: str, *, status: Optional[int] = None, meta: Optional[Meta] = None,
        retry_after: Optional[float] = None, filename: Optional[str] = None, field: Optional[str] = None,
        reason: Optional[str] = None, retryable: Optional[bool] = None,
    ) -> None:  # fmt: skip
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        #: The HTTP status, where there was an answer.
        self.status = status
        self.meta = meta
        #: Seconds.
        self.retry_after = retry_after
        #: Of the file that could not be sent.
        self.filename = filename
        #: The field of a render that it is about.
        self.field = field
        #: Why a render failed, as one word: timeout, selector_missing, ...
        self.reason = reason
        #: What the service says of this failure; None if it says nothing.
        self.retryable = retryable
        #: How many times the request was sent.
        self.attempts = 0
        #: Of a batch that was split: the outcomes that were known before this error.
        self.partial: Optional[List[BatchItem]] = None

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later: a limit, an outage, a page that did not load."""
        return _kind(self) != "final"

    @property
    def request_id(self) -> Optional[str]:
        """The id to name when you report this failure to the operator."""
        return self.meta.request_id if self.meta else None


class AuthenticationError(TintypeError):
    """The key is missing, wrong, expired or for something else."""


class QuotaExceededError(TintypeError):
    """The units of this month are used up."""


class RequestError(TintypeError):
    """The request itself was refused, and would be again."""


class RateLimitError(TintypeError):
    """The request budget or the cap of concurrent renders is in use."""


class RenderError(TintypeError):
    """The page could not be loaded, captured or printed."""


class UnavailableError(TintypeError):
    """The service could not be reached, did not answer in time, or failed."""

_CLASSES_BY_STATUS: Dict[int, Type[TintypeError]] = {
    401: AuthenticationError,
    402: QuotaExceededError,
    429: RateLimitError,
    502: RenderError,
}
_CLASSES_BY_CODE: Dict[str, Type[TintypeError]] = {
    "unreadable_file": RequestError,
    **dict.fromkeys(("connection_failed", "timeout", "unavailable", "bad_answer"), UnavailableError),
}


def _error(code: str, message: str, **details: Any) -> TintypeError:
    kind = _CLASSES_BY_CODE.get(code, TintypeError)
    if code in _CONTRACT_ERRORS:
        status, _ = _CONTRACT_ERRORS[code]
        kind = _CLASSES_BY_STATUS.get(status, RequestError if status < 500 else UnavailableError)
    return kind(code, message, **details)


@dataclass(frozen=True)
class Retry:
    """The argument of on_retry, which is called before each wait."""

    error: TintypeError
    #: Attempts made so far.
    attempts: int
    delay_seconds: float


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: http.client.HTTPMessage
    data: bytes
    #: The parsed body, if it is JSON.
    json: Any
    meta: Meta


# begin: npm run document
# The service's errors: the HTTP status, and whether the same request may succeed later.
_CONTRACT_ERRORS: Dict[str, Tuple[int, bool]] = {
    "unauthorized": (401, False),
    "quota_exceeded": (402, False),
    "forbidden": (403, False),
    "not_found": (404, False),
    "method_not_allowed": (405, False),
    "file_too_large": (413, False),
    "batch_too_large": (413, False),
    "request_too_large": (413, False),
    "unsupported_type": (415, False),
    "validation_error": (422, False),
    "too_many_files": (422, False),
    "rate_limited": (429, True),
    "concurrency_limited": (429, True),
    "queue_full": (429, True),
    "internal": (500, True),
    "fetch_failed": (502, True),
    "capture_failed": (502, True),
    "render_failed": (502, True),
}


_MAX_FILE_BYTES = 10485760
_MAX_BATCH_FILES = 10
_MAX_BATCH_BYTES = 52428800
_MAX_RENDER_FILE_BYTES = 20971520
# How long to wait for a render: its own time limit, the queue, and 15 s for the network.
_RENDER_SECONDS = {"screenshot": 105.0, "pdf": 120.0, "render": 135.0}


@dataclass(frozen=True)
class Upload:
    #: Unique upload id.
    id: str
    #: Short slug used in share URLs.
    slug: str
    #: Share page that shows the image in a viewer.
    url: str
    #: Direct URL of the raw image bytes.
    file_url: str
    #: Deletes the upload without further authentication. It is a secret.
    delete_url: str = field(repr=False)
    #: When the link stops resolving and the file is deleted; null when no expiry is scheduled.
    expires_at: Optional[str]
    #: Stored size, measured after SVG sanitization.
    size_bytes: int
    #: Detected from the file's bytes, not from the declared type.
    content_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "image/avif"]
    #: Sanitized stored filename.
    filename: str
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class HostedScreenshot:
    #: Unique capture id.
    id: str
    #: Hosted URL of the stored capture, not of the captured page.
    url: str
    #: Image format.
    format: Literal["png", "jpeg", "webp"]
    #: Viewport width used.
    width: int
    #: Viewport height used.
    height: int
    #: Whether the full scrollable height was captured.
    full_page: bool
    #: Render duration in milliseconds.
    duration_ms: Optional[int]
    #: Size of the stored file in bytes.
    size_bytes: Optional[int]
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class HostedPdf:
    #: Unique render id.
    id: str
    #: Hosted URL of the stored PDF.
    url: str
    #: Paper size used.
    paper_format: Literal["letter", "a4", "legal"]
    #: Orientation used.
    landscape: bool
    #: Whether backgrounds were printed.
    print_background: bool
    #: Whether the page's CSS page size was preferred.
    prefer_css_page_size: bool
    #: Scale used.
    scale: float
    #: Margins used.
    margin: Dict[str, Union[float, str]]
    #: Viewport used.
    viewport: Dict[str, int]
    #: Readiness used.
    wait_until: Literal["load", "domcontentloaded", "networkidle0", "networkidle2"]
    #: Extra wait used.
    delay_ms: int
    #: Render duration in milliseconds.
    duration_ms: Optional[int]
    #: Size of the stored file in bytes.
    size_bytes: Optional[int]
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class HostedRender:
    #: The id of the render.
    id: str
    #: Whether the render waits, runs or has ended.
    state: Literal["queued", "running", "succeeded", "failed", "canceled"]
    #: The reference of the request.
    reference: Optional[str]
    #: When the render was asked for.
    created_at: str
    #: When it ended.
    finished_at: Optional[str]
    #: When the hosted outputs are deleted; null for never.
    expires_at: Optional[str]
    #: Whether this is an earlier result.
    cached: bool
    #: Render units that it cost.
    units: int
    #: How long it took.
    duration_ms: Optional[int]
    #: Where the time went, in milliseconds.
    timing: Dict[str, Optional[int]]
    #: The page.
    page: Dict[str, Union[Literal["url", "html", "markdown"], Optional[str], Optional[int]]]
    #: In the order of the request; empty if it failed.
    outputs: List[Dict[str, Any]]
    #: What is not as it should be.
    warnings: List[Dict[str, Union[Literal["request_failed", "request_blocked", "script_error", "content_cut", "settle_incomplete", "cookie_banner_left", "costly_shadows"], str, Optional[str]]]]
    #: Why it failed; null if it did not.
    error: Optional[Dict[str, Union[Literal["unauthorized", "quota_exceeded", "forbidden", "not_found", "method_not_allowed", "file_too_large", "request_too_large", "unsupported_type", "validation_error", "rate_limited", "concurrency_limited", "queue_full", "internal", "fetch_failed", "render_failed"], str, Literal["unreachable", "timeout", "http_error", "request_failed", "crashed", "not_public", "download", "script_error", "selector_missing", "condition_unmet", "too_large", "unprintable"], List[Dict[str, Union[Literal["request_failed", "request_blocked", "script_error", "content_cut", "settle_incomplete", "cookie_banner_left", "costly_shadows"], str, Optional[str]]]], bool, Optional[str]]]]
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class StoredUpload:
    #: The id of the upload.
    id: str
    #: The short name in its links.
    slug: str
    #: The share page.
    url: str
    #: The bytes.
    file_url: str
    #: Deletes the upload without a key, so it is a secret; null after the response to the upload.
    delete_url: Optional[str] = field(repr=False)
    #: When the link expires; null for never.
    expires_at: Optional[str]
    #: The size of what is stored.
    size_bytes: int
    #: Detected from the bytes.
    content_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "image/avif"]
    #: As stored, sanitized.
    filename: str
    #: In pixels; null if it is not known.
    width: Optional[int]
    #: In pixels; null if it is not known.
    height: Optional[int]
    #: The SHA-256 of what is stored, in hex.
    sha256: str
    #: The title.
    title: Optional[str]
    #: The tags, each once.
    tags: List[str]
    #: The id of its album; null if it is in none.
    album: Optional[str]
    #: What was found and removed when it was stored.
    metadata_removed: List[Literal["gps", "camera", "time", "author", "thumbnail", "text"]]
    #: When it was stored.
    created_at: str
    #: Whether visitors must know a password.
    has_password: bool
    #: How often visitors can be shown it; null for no limit.
    max_views: Optional[int]
    #: How often visitors asked to see it, with its password or one of its views, and were shown it. At `max_views` its link has ended.
    views: int
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class Album:
    #: The id of the album: the `album` of its uploads.
    id: str
    #: The short name in its links.
    slug: str
    #: The page; with `.zip` after it, all files as an archive.
    url: str
    #: The title.
    title: Optional[str]
    #: The description.
    description: Optional[str]
    #: The number of its uploads.
    count: int
    #: The bytes of its first upload; null if it is empty.
    cover_url: Optional[str]
    #: When it was made.
    created_at: str
    #: When the link expires; null for never.
    expires_at: Optional[str]
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class UploadLink:
    #: The id of the link.
    id: str
    #: The page to drop files on, which also takes them by POST; a secret, null after the response that made it.
    url: Optional[str] = field(repr=False)
    #: The last part of the address; a secret, null after the response that made the link.
    token: Optional[str] = field(repr=False)
    #: The title.
    title: Optional[str]
    #: The id of the album that its uploads go into; null if there is none.
    album: Optional[str]
    #: How many files it takes.
    max_files: int
    #: The largest file, in bytes.
    max_bytes: int
    #: How many it has taken.
    used_files: int
    #: The size of these files as stored, in bytes.
    used_bytes: int
    #: When it was made.
    created_at: str
    #: When it expires.
    expires_at: str
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


@dataclass(frozen=True)
class Usage:
    #: Such as 2026-11, UTC.
    month: str
    #: When the next month begins.
    resets_at: str
    #: The upload units.
    upload: Dict[str, int]
    #: The render units.
    render: Dict[str, int]
    #: The budget of requests.
    requests: Dict[str, int]
    #: Renders at this moment.
    renders: Dict[str, int]
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


class UploadChanges(TypedDict, total=False):
    #: The filename instead of the one of the file; it is sanitized.
    filename: str
    #: A title of 1 to 200 characters; null for none.
    title: Optional[str]
    #: Words to find it by.
    tags: List[str]
    #: The id of an album; null for none.
    album: Optional[str]
    #: Seconds until the link expires, from now: an integer from 60 to 31536000, or null for never.
    expires_in: Optional[int]
    #: Visitors must know it to see the picture: a string of 1 to 200 characters, or null for none.
    password: Optional[str]
    #: How often visitors can be shown the picture, those that it has had included: an integer from 1 to 1000000, or null for no limit. A larger number opens a link again that has ended.
    max_views: Optional[int]


class NewAlbum(TypedDict, total=False):
    #: What the album is called.
    title: str
    #: A text below the title; its lines stay lines.
    description: str
    #: How long the link of the album lives, in seconds; its uploads stay.
    expires_in: int


class AlbumChanges(TypedDict, total=False):
    #: A title of 1 to 200 characters; null for none.
    title: Optional[str]
    #: A description of 1 to 2000 characters; null for none.
    description: Optional[str]
    #: Seconds until the link expires, from now: an integer from 60 to 31536000, or null for never.
    expires_in: Optional[int]


class NewUploadLink(TypedDict, total=False):
    #: How many files it takes.
    max_files: int
    #: The largest file, in bytes.
    max_bytes: int
    #: How long the link lives, in seconds.
    expires_in: int
    #: The id of the album that its uploads go into; the link ends with it.
    album: str
    #: What people see above the place to drop files.
    title: str


class _RenderCalls:
    """The renders of Tintype. A field that is None is not sent, so the service's default holds."""

    def _ask(
        self, kind: str, fields: Dict[str, Any], timeout: Optional[float], idempotency_key: Optional[str],
        files: Optional[Iterable[File]] = None,
    ) -> _Answer:  # fmt: skip
        raise NotImplementedError

    def screenshot(
        self,
        url: str,
        *,
        full_page: Optional[bool] = None,
        format: Optional[Literal["png", "jpeg", "webp"]] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Render:
        """Captures a page.

        full_page: Capture the full scrollable height. Default: False.
        format: Image format. One of png, jpeg, webp. Default: png.
        width: Viewport width, in CSS pixels. From 320 to 3840. Default: 1440.
        height: Viewport height, in CSS pixels. From 320 to 2160. Default: 900.
        """
        fields = {
            "url": url,
            "full_page": full_page,
            "format": format,
            "width": width,
            "height": height,
        }
        return _render(self._ask("screenshot", fields, timeout, idempotency_key))

    def hosted_screenshot(
        self,
        url: str,
        *,
        full_page: Optional[bool] = None,
        format: Optional[Literal["png", "jpeg", "webp"]] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> HostedScreenshot:
        """Captures a page; the service hosts the picture at the url of the result. The fields are those of screenshot."""
        fields = {
            "url": url,
            "full_page": full_page,
            "format": format,
            "width": width,
            "height": height,
            "response": "json",
        }
        return _result(HostedScreenshot, self._ask("screenshot", fields, timeout, idempotency_key))

    def pdf(
        self,
        url: str,
        *,
        paper_format: Optional[Literal["letter", "a4", "legal"]] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        viewport: Optional[Mapping[str, int]] = None,
        wait_until: Optional[Literal["load", "domcontentloaded", "networkidle0", "networkidle2"]] = None,
        delay_ms: Optional[int] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Render:
        """Prints a page.

        paper_format: Paper size. One of letter, a4, legal. Default: letter.
        landscape: Rotates the paper to landscape. Default: False.
        print_background: Include CSS background colors and images. Default: True.
        prefer_css_page_size: A CSS page size defined by the page overrides paper_format. Default: False.
        scale: Scale of the printed content. From 0.1 to 2. Default: 1.
        margin: Margins of the paper.
        margin["top"]: The top margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that
            is "0" or a number followed by px, in, cm or mm. Default: 0.
        margin["right"]: The right margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters
            that is "0" or a number followed by px, in, cm or mm. Default: 0.
        margin["bottom"]: The bottom margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters
            that is "0" or a number followed by px, in, cm or mm. Default: 0.
        margin["left"]: The left margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters
            that is "0" or a number followed by px, in, cm or mm. Default: 0.
        viewport: Browser viewport applied before printing. Controls responsive layout, not paper size.
        viewport["width"]: Viewport width, in CSS pixels. From 320 to 3840. Default: 1440.
        viewport["height"]: Viewport height, in CSS pixels. From 320 to 2160. Default: 900.
        wait_until: What the page must have reached before it is printed. One of load, domcontentloaded, networkidle0,
            networkidle2. Default: networkidle2.
        delay_ms: Extra wait after readiness, in milliseconds. From 0 to 10000. Default: 0.
        """
        fields = {
            "url": url,
            "paper_format": paper_format,
            "landscape": landscape,
            "print_background": print_background,
            "prefer_css_page_size": prefer_css_page_size,
            "scale": scale,
            "margin": margin,
            "viewport": viewport,
            "wait_until": wait_until,
            "delay_ms": delay_ms,
        }
        return _render(self._ask("pdf", fields, timeout, idempotency_key))

    def hosted_pdf(
        self,
        url: str,
        *,
        paper_format: Optional[Literal["letter", "a4", "legal"]] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        viewport: Optional[Mapping[str, int]] = None,
        wait_until: Optional[Literal["load", "domcontentloaded", "networkidle0", "networkidle2"]] = None,
        delay_ms: Optional[int] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> HostedPdf:
        """Prints a page; the service hosts the document at the url of the result. The fields are those of pdf."""
        fields = {
            "url": url,
            "paper_format": paper_format,
            "landscape": landscape,
            "print_background": print_background,
            "prefer_css_page_size": prefer_css_page_size,
            "scale": scale,
            "margin": margin,
            "viewport": viewport,
            "wait_until": wait_until,
            "delay_ms": delay_ms,
            "response": "json",
        }
        return _result(HostedPdf, self._ask("pdf", fields, timeout, idempotency_key))

    def render(
        self,
        url: Optional[str] = None,
        *,
        html: Optional[str] = None,
        markdown: Optional[str] = None,
        base_url: Optional[str] = None,
        viewport: Optional[Mapping[str, Union[int, float, bool]]] = None,
        device: Optional[str] = None,
        color_scheme: Optional[Literal["light", "dark"]] = None,
        media: Optional[Literal["screen", "print"]] = None,
        reduced_motion: Optional[bool] = None,
        contrast: Optional[Literal["no_preference", "more", "less"]] = None,
        forced_colors: Optional[bool] = None,
        locale: Optional[str] = None,
        timezone: Optional[str] = None,
        geolocation: Optional[Mapping[str, float]] = None,
        user_agent: Optional[str] = None,
        clock: Optional[str] = None,
        format: Optional[Literal["png", "jpeg", "webp", "pdf", "html", "mhtml", "text", "markdown", "metadata", "accessibility"]] = None,
        put_url: Optional[str] = None,
        full_page: Optional[bool] = None,
        clip: Optional[Mapping[str, float]] = None,
        resize: Optional[Mapping[str, Union[int, Literal["inside", "cover"]]]] = None,
        compare_to: Optional[str] = None,
        selector: Optional[str] = None,
        omit_background: Optional[bool] = None,
        quality: Optional[int] = None,
        page: Optional[int] = None,
        paper_format: Optional[Literal["letter", "a4", "legal", "a3", "a5", "tabloid"]] = None,
        paper: Optional[Mapping[str, Union[float, str]]] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        header: Optional[Union[str, Mapping[str, str]]] = None,
        footer: Optional[Union[str, Mapping[str, str]]] = None,
        page_numbers: Optional[bool] = None,
        page_ranges: Optional[str] = None,
        single_page: Optional[bool] = None,
        outline: Optional[bool] = None,
        tagged: Optional[bool] = None,
        document: Optional[Mapping[str, Union[str, Union[str, List[str]]]]] = None,
        password: Optional[str] = None,
        owner_password: Optional[str] = None,
        permissions: Optional[List[Literal["print", "copy", "modify", "annotate", "fill", "assemble"]]] = None,
        main_content: Optional[bool] = None,
        outputs: Optional[List[Mapping[str, Any]]] = None,
        headers: Optional[Mapping[str, Any]] = None,
        cookies: Optional[List[Mapping[str, Union[str, bool, Literal["strict", "lax", "none"]]]]] = None,
        basic_auth: Optional[Mapping[str, str]] = None,
        javascript: Optional[bool] = None,
        css: Optional[str] = None,
        script: Optional[str] = None,
        hide: Optional[List[str]] = None,
        block: Optional[List[Literal["ads", "cookie_banners", "images", "media", "fonts"]]] = None,
        block_hosts: Optional[List[str]] = None,
        network: Optional[Literal["all", "none"]] = None,
        wait_until: Optional[Literal["settled", "load", "domcontentloaded", "networkidle0", "networkidle2"]] = None,
        wait_for: Optional[Union[str, Mapping[str, Union[str, Literal["visible", "attached", "gone"]]], Mapping[str, str], List[Union[str, Mapping[str, Union[str, Literal["visible", "attached", "gone"]]], Mapping[str, str]]]]] = None,
        delay_ms: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        fail_on: Optional[List[Union[Literal["http_error", "request_failed", "script_error"], Mapping[str, Union[Literal["http_error", "request_failed"], List[Union[int, str]], List[str]]]]]] = None,
        max_age: Optional[int] = None,
        expires_in: Optional[int] = None,
        reference: Optional[str] = None,
        files: Optional[Iterable[File]] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Render:
        """Renders a page, or HTML or Markdown with its files, by version 2 of the interface.

        html: An HTML document to render instead of an address. 1 to 2,097,152 bytes of UTF-8.
        markdown: A Markdown document to render instead of an address; tables and task lists as on GitHub. 1 to
            1,048,576 bytes of UTF-8.
        base_url: The public address that html or markdown has, such as https://example.com/blog/: relative links
            start from it.
        viewport: The window that the page is laid out in, in CSS pixels.
        viewport["width"]: Viewport width, in CSS pixels. From 320 to 3840. Default: 1440.
        viewport["height"]: Viewport height, in CSS pixels. From 320 to 2160. Default: 900.
        viewport["pixel_ratio"]: Device pixels for each CSS pixel; 2 makes a picture twice as wide and high. From 1 to
            3. Default: 1.
        viewport["mobile"]: Lay the page out as on a phone, with touch. Default: False.
        device: The device whose viewport and user agent are used, such as iPhone 15; viewport and user_agent win over
            it.
        color_scheme: The colour scheme that the page sees as preferred. One of light, dark. Default: light.
        media: The CSS media type. Left out: print for a PDF, screen for everything else. One of screen, print.
        reduced_motion: Tell the page that reduced motion is preferred. Default: False.
        contrast: The contrast that the page is told to prefer. One of no_preference, more, less. Default:
            no_preference.
        forced_colors: Show the page in the few colours of a high-contrast theme, which follows color_scheme. Default:
            False.
        locale: The language that the page sees and is asked for, such as de-CH. Default: en-US.
        timezone: The time zone that the page sees, such as Europe/Zurich. Default: UTC.
        geolocation: The place that the page is told when it asks for one.
        geolocation["latitude"]: Degrees north of the equator, such as 47.37. From -90 to 90.
        geolocation["longitude"]: Degrees east of Greenwich, such as 8.54. From -180 to 180.
        geolocation["accuracy"]: How exact the place is, in metres. From 0 to 100000. Default: 10.
        user_agent: The user agent that the page sees. Left out: the browser's own.
        clock: The date and time at which the clock of the page starts, such as 2026-01-31T09:00:00Z. Left out: now.
        format: What is made of the page. One of png, jpeg, webp, pdf, html, mhtml, text, markdown, metadata,
            accessibility. Default: png.
        put_url: A public https address that the file is also PUT to, such as a presigned one of S3.
        full_page: Capture the full scrollable height. Only png, jpeg, webp. Default: False.
        clip: Capture only this part of the page, in CSS pixels from its top left corner. Only png, jpeg, webp.
        clip["x"]: The left edge, from the left of the page. From 0 to 100000.
        clip["y"]: The top edge, from the top of the page. From 0 to 100000.
        clip["width"]: The width of the part. From 1 to 65535.
        clip["height"]: The height of the part. From 1 to 65535.
        resize: Shrink the picture to this size, in pixels; it is never enlarged. Only png, jpeg, webp.
        resize["width"]: The largest width, in pixels. From 16 to 3840.
        resize["height"]: The largest height, in pixels. From 16 to 3840.
        resize["fit"]: inside: all of the picture, within the size; cover: exactly the size, with what sticks out cut
            off. One of inside, cover. Default: inside.
        compare_to: The id of an earlier render of the same size. The receipt says what has changed since. Only png,
            jpeg, webp.
        selector: Capture only the first element that matches, such as main > article; open shadow roots are searched,
            too. A CSS selector. Only png, jpeg, webp, html, text, markdown.
        omit_background: Leave out the white behind a page without a background, so that it is transparent. Only png,
            webp, pdf. Default: False.
        quality: The quality of the compression, from 1 (smallest file) to 100 (best picture). Only jpeg, webp. From 1
            to 100. Default: 80.
        page: The number of the printed page to make a picture of, instead of the page on a screen. Only png, jpeg,
            webp. From 1 to 100000.
        paper_format: Paper size. Also for a picture with page. Only pdf. One of letter, a4, legal, a3, a5, tabloid.
            Default: letter.
        paper: A paper size of your own instead of paper_format, such as {"width": "100mm", "height": "150mm"}. Also
            for a picture with page. Only pdf.
        paper["width"]: The width: a number of CSS pixels from 10 to 19200, or a text of at most 16 characters that is
            "0" or a number followed by px, in, cm or mm.
        paper["height"]: The height: a number of CSS pixels from 10 to 19200, or a text of at most 16 characters that
            is "0" or a number followed by px, in, cm or mm.
        landscape: Rotates the paper to landscape. Also for a picture with page. Only pdf. Default: False.
        print_background: Include CSS background colors and images. Also for a picture with page. Only pdf. Default:
            True.
        prefer_css_page_size: A CSS page size defined by the page overrides paper_format. Also for a picture with
            page. Only pdf. Default: False.
        scale: Scale of the printed content. Also for a picture with page. Only pdf. From 0.1 to 2. Default: 1.
        margin: Margins of the paper. Also for a picture with page. Only pdf.
        margin["top"]: The top margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters that
            is "0" or a number followed by px, in, cm or mm. Default: 0.
        margin["right"]: The right margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters
            that is "0" or a number followed by px, in, cm or mm. Default: 0.
        margin["bottom"]: The bottom margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters
            that is "0" or a number followed by px, in, cm or mm. Default: 0.
        margin["left"]: The left margin: a number of CSS pixels from 0 to 2000, or a text of at most 16 characters
            that is "0" or a number followed by px, in, cm or mm. Default: 0.
        header: What stands in the top margin of each page: HTML of at most 65,536 bytes with {{page}}, {{pages}},
            {{title}}, {{url}} and {{date}}, or an object with default, first and last. Also for a picture with page.
            Only pdf.
        footer: What stands in the bottom margin of each page: HTML of at most 65,536 bytes with {{page}}, {{pages}},
            {{title}}, {{url}} and {{date}}, or an object with default, first and last. Also for a picture with page.
            Only pdf.
        page_numbers: Write into every link with a data-page attribute the number of the printed page that it leads
            to. Also for a picture with page. Only pdf. Default: False.
        page_ranges: The pages to print, such as 1-3,5. Left out: all. Only pdf.
        single_page: Print one page as tall as the content, up to 14,400 points (200 inches). Only pdf. Default:
            False.
        outline: Add bookmarks made from the headings. Only pdf. Default: False.
        tagged: Tag the content for screen readers. Only pdf. Default: False.
        document: The properties that PDF readers show. Only pdf.
        document["title"]: The title of the document.
        document["author"]: The author of the document.
        document["subject"]: The subject of the document.
        document["keywords"]: Keywords: a text of 1 to 500 characters, or an array of at most 50 texts.
        document["language"]: The language of the document, such as de-CH.
        password: The password that opens the PDF, which is encrypted with AES-256. 1 to 127 bytes of UTF-8. Only pdf.
        owner_password: Who opens the encrypted PDF with it may do everything, whatever permissions says. 1 to 127
            bytes of UTF-8. Only pdf.
        permissions: What readers of the PDF may do; with fewer, it is encrypted. Screen readers may always read.
            Programs follow this by courtesy. Only pdf. Default: print,copy,modify,annotate,fill,assemble.
        main_content: Take the article only, without menus, advertisements and comments. Only html, text, markdown.
            Default: False.
        outputs: Several outputs of one load of the page, instead of the fields of one.
        headers: Request headers for the page's own origin, at most 20, each value up to 4096 bytes.
        cookies: Cookies for the page's site.
        basic_auth: The user name and password that the page's own origin asks for.
        basic_auth["username"]: The user name.
        basic_auth["password"]: The password.
        javascript: Run the scripts of the page. Default: True.
        css: CSS that applies to the page from its first paint, such as nav { display: none }. 1 to 102,400 bytes of
            UTF-8.
        script: JavaScript that runs in the page once it has loaded: the body of an async function, so it may use
            await. 1 to 102,400 bytes of UTF-8.
        hide: Selectors of elements that are hidden from the first paint, such as #chat. Default: .
        block: What the page goes without. Cookie banners are declined, never accepted; ads needs a list that the
            operator gives. Default: .
        block_hosts: Hosts that the page cannot reach, subdomains included, such as ads.example.com. Default: .
        network: none: the page of html or markdown gets what came with the request and nothing else; no request
            leaves the service. One of all, none. Default: all.
        wait_until: How far the page must have come before it is captured. settled: loaded, and then at rest. One of
            settled, load, domcontentloaded, networkidle0, networkidle2. Default: settled.
        wait_for: What must be there, after the script, before the page is captured: a selector of 1 to 500
            characters, an object with selector and state, an object with expression, or an array of at most 5 of
            these.
        delay_ms: Extra wait after readiness, in milliseconds. From 0 to 10000. Default: 0.
        timeout_ms: How long the render may take, in milliseconds: 60000, if it is left out, and 75000 with a PDF.
            From 1000 to 90000.
        fail_on: What makes the render fail instead of adding a warning: a status of 400 or more, a request that
            fails, an error of a script. An object counts only some statuses, or not those of some hosts. Default: .
        max_age: How old an earlier result of the same request may be, in seconds, to be the answer; it then costs
            nothing. From 0 to 2592000. Default: 0.
        expires_in: How long the links to hosted outputs live, in seconds; 86400 is a day. From 60 to 31536000.
        reference: A text of your own, such as an order number, that comes back with the render.
        """
        fields = {
            "url": url,
            "html": html,
            "markdown": markdown,
            "base_url": base_url,
            "viewport": viewport,
            "device": device,
            "color_scheme": color_scheme,
            "media": media,
            "reduced_motion": reduced_motion,
            "contrast": contrast,
            "forced_colors": forced_colors,
            "locale": locale,
            "timezone": timezone,
            "geolocation": geolocation,
            "user_agent": user_agent,
            "clock": clock,
            "format": format,
            "put_url": put_url,
            "full_page": full_page,
            "clip": clip,
            "resize": resize,
            "compare_to": compare_to,
            "selector": selector,
            "omit_background": omit_background,
            "quality": quality,
            "page": page,
            "paper_format": paper_format,
            "paper": paper,
            "landscape": landscape,
            "print_background": print_background,
            "prefer_css_page_size": prefer_css_page_size,
            "scale": scale,
            "margin": margin,
            "header": header,
            "footer": footer,
            "page_numbers": page_numbers,
            "page_ranges": page_ranges,
            "single_page": single_page,
            "outline": outline,
            "tagged": tagged,
            "document": document,
            "password": password,
            "owner_password": owner_password,
            "permissions": permissions,
            "main_content": main_content,
            "outputs": outputs,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "javascript": javascript,
            "css": css,
            "script": script,
            "hide": hide,
            "block": block,
            "block_hosts": block_hosts,
            "network": network,
            "wait_until": wait_until,
            "wait_for": wait_for,
            "delay_ms": delay_ms,
            "timeout_ms": timeout_ms,
            "fail_on": fail_on,
            "max_age": max_age,
            "expires_in": expires_in,
            "reference": reference,
        }
        return _render(self._ask("render", fields, timeout, idempotency_key, files))

    def hosted_render(
        self,
        url: Optional[str] = None,
        *,
        html: Optional[str] = None,
        markdown: Optional[str] = None,
        base_url: Optional[str] = None,
        viewport: Optional[Mapping[str, Union[int, float, bool]]] = None,
        device: Optional[str] = None,
        color_scheme: Optional[Literal["light", "dark"]] = None,
        media: Optional[Literal["screen", "print"]] = None,
        reduced_motion: Optional[bool] = None,
        contrast: Optional[Literal["no_preference", "more", "less"]] = None,
        forced_colors: Optional[bool] = None,
        locale: Optional[str] = None,
        timezone: Optional[str] = None,
        geolocation: Optional[Mapping[str, float]] = None,
        user_agent: Optional[str] = None,
        clock: Optional[str] = None,
        format: Optional[Literal["png", "jpeg", "webp", "pdf", "html", "mhtml", "text", "markdown", "metadata", "accessibility"]] = None,
        put_url: Optional[str] = None,
        full_page: Optional[bool] = None,
        clip: Optional[Mapping[str, float]] = None,
        resize: Optional[Mapping[str, Union[int, Literal["inside", "cover"]]]] = None,
        compare_to: Optional[str] = None,
        selector: Optional[str] = None,
        omit_background: Optional[bool] = None,
        quality: Optional[int] = None,
        page: Optional[int] = None,
        paper_format: Optional[Literal["letter", "a4", "legal", "a3", "a5", "tabloid"]] = None,
        paper: Optional[Mapping[str, Union[float, str]]] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        header: Optional[Union[str, Mapping[str, str]]] = None,
        footer: Optional[Union[str, Mapping[str, str]]] = None,
        page_numbers: Optional[bool] = None,
        page_ranges: Optional[str] = None,
        single_page: Optional[bool] = None,
        outline: Optional[bool] = None,
        tagged: Optional[bool] = None,
        document: Optional[Mapping[str, Union[str, Union[str, List[str]]]]] = None,
        password: Optional[str] = None,
        owner_password: Optional[str] = None,
        permissions: Optional[List[Literal["print", "copy", "modify", "annotate", "fill", "assemble"]]] = None,
        main_content: Optional[bool] = None,
        outputs: Optional[List[Mapping[str, Any]]] = None,
        headers: Optional[Mapping[str, Any]] = None,
        cookies: Optional[List[Mapping[str, Union[str, bool, Literal["strict", "lax", "none"]]]]] = None,
        basic_auth: Optional[Mapping[str, str]] = None,
        javascript: Optional[bool] = None,
        css: Optional[str] = None,
        script: Optional[str] = None,
        hide: Optional[List[str]] = None,
        block: Optional[List[Literal["ads", "cookie_banners", "images", "media", "fonts"]]] = None,
        block_hosts: Optional[List[str]] = None,
        network: Optional[Literal["all", "none"]] = None,
        wait_until: Optional[Literal["settled", "load", "domcontentloaded", "networkidle0", "networkidle2"]] = None,
        wait_for: Optional[Union[str, Mapping[str, Union[str, Literal["visible", "attached", "gone"]]], Mapping[str, str], List[Union[str, Mapping[str, Union[str, Literal["visible", "attached", "gone"]]], Mapping[str, str]]]]] = None,
        delay_ms: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        fail_on: Optional[List[Union[Literal["http_error", "request_failed", "script_error"], Mapping[str, Union[Literal["http_error", "request_failed"], List[Union[int, str]], List[str]]]]]] = None,
        max_age: Optional[int] = None,
        expires_in: Optional[int] = None,
        reference: Optional[str] = None,
        files: Optional[Iterable[File]] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> HostedRender:
        """Renders a page, or HTML or Markdown with its files, by version 2 of the interface; the service hosts the outputs at the url of the result. The fields are those of render."""
        fields = {
            "url": url,
            "html": html,
            "markdown": markdown,
            "base_url": base_url,
            "viewport": viewport,
            "device": device,
            "color_scheme": color_scheme,
            "media": media,
            "reduced_motion": reduced_motion,
            "contrast": contrast,
            "forced_colors": forced_colors,
            "locale": locale,
            "timezone": timezone,
            "geolocation": geolocation,
            "user_agent": user_agent,
            "clock": clock,
            "format": format,
            "put_url": put_url,
            "full_page": full_page,
            "clip": clip,
            "resize": resize,
            "compare_to": compare_to,
            "selector": selector,
            "omit_background": omit_background,
            "quality": quality,
            "page": page,
            "paper_format": paper_format,
            "paper": paper,
            "landscape": landscape,
            "print_background": print_background,
            "prefer_css_page_size": prefer_css_page_size,
            "scale": scale,
            "margin": margin,
            "header": header,
            "footer": footer,
            "page_numbers": page_numbers,
            "page_ranges": page_ranges,
            "single_page": single_page,
            "outline": outline,
            "tagged": tagged,
            "document": document,
            "password": password,
            "owner_password": owner_password,
            "permissions": permissions,
            "main_content": main_content,
            "outputs": outputs,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "javascript": javascript,
            "css": css,
            "script": script,
            "hide": hide,
            "block": block,
            "block_hosts": block_hosts,
            "network": network,
            "wait_until": wait_until,
            "wait_for": wait_for,
            "delay_ms": delay_ms,
            "timeout_ms": timeout_ms,
            "fail_on": fail_on,
            "max_age": max_age,
            "expires_in": expires_in,
            "reference": reference,
            "response": "json",
        }
        return _result(HostedRender, self._ask("render", fields, timeout, idempotency_key, files))

    def queue_render(
        self,
        url: Optional[str] = None,
        *,
        html: Optional[str] = None,
        markdown: Optional[str] = None,
        base_url: Optional[str] = None,
        viewport: Optional[Mapping[str, Union[int, float, bool]]] = None,
        device: Optional[str] = None,
        color_scheme: Optional[Literal["light", "dark"]] = None,
        media: Optional[Literal["screen", "print"]] = None,
        reduced_motion: Optional[bool] = None,
        contrast: Optional[Literal["no_preference", "more", "less"]] = None,
        forced_colors: Optional[bool] = None,
        locale: Optional[str] = None,
        timezone: Optional[str] = None,
        geolocation: Optional[Mapping[str, float]] = None,
        user_agent: Optional[str] = None,
        clock: Optional[str] = None,
        format: Optional[Literal["png", "jpeg", "webp", "pdf", "html", "mhtml", "text", "markdown", "metadata", "accessibility"]] = None,
        put_url: Optional[str] = None,
        full_page: Optional[bool] = None,
        clip: Optional[Mapping[str, float]] = None,
        resize: Optional[Mapping[str, Union[int, Literal["inside", "cover"]]]] = None,
        compare_to: Optional[str] = None,
        selector: Optional[str] = None,
        omit_background: Optional[bool] = None,
        quality: Optional[int] = None,
        page: Optional[int] = None,
        paper_format: Optional[Literal["letter", "a4", "legal", "a3", "a5", "tabloid"]] = None,
        paper: Optional[Mapping[str, Union[float, str]]] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        header: Optional[Union[str, Mapping[str, str]]] = None,
        footer: Optional[Union[str, Mapping[str, str]]] = None,
        page_numbers: Optional[bool] = None,
        page_ranges: Optional[str] = None,
        single_page: Optional[bool] = None,
        outline: Optional[bool] = None,
        tagged: Optional[bool] = None,
        document: Optional[Mapping[str, Union[str, Union[str, List[str]]]]] = None,
        password: Optional[str] = None,
        owner_password: Optional[str] = None,
        permissions: Optional[List[Literal["print", "copy", "modify", "annotate", "fill", "assemble"]]] = None,
        main_content: Optional[bool] = None,
        outputs: Optional[List[Mapping[str, Any]]] = None,
        headers: Optional[Mapping[str, Any]] = None,
        cookies: Optional[List[Mapping[str, Union[str, bool, Literal["strict", "lax", "none"]]]]] = None,
        basic_auth: Optional[Mapping[str, str]] = None,
        javascript: Optional[bool] = None,
        css: Optional[str] = None,
        script: Optional[str] = None,
        hide: Optional[List[str]] = None,
        block: Optional[List[Literal["ads", "cookie_banners", "images", "media", "fonts"]]] = None,
        block_hosts: Optional[List[str]] = None,
        network: Optional[Literal["all", "none"]] = None,
        wait_until: Optional[Literal["settled", "load", "domcontentloaded", "networkidle0", "networkidle2"]] = None,
        wait_for: Optional[Union[str, Mapping[str, Union[str, Literal["visible", "attached", "gone"]]], Mapping[str, str], List[Union[str, Mapping[str, Union[str, Literal["visible", "attached", "gone"]]], Mapping[str, str]]]]] = None,
        delay_ms: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        fail_on: Optional[List[Union[Literal["http_error", "request_failed", "script_error"], Mapping[str, Union[Literal["http_error", "request_failed"], List[Union[int, str]], List[str]]]]]] = None,
        max_age: Optional[int] = None,
        expires_in: Optional[int] = None,
        reference: Optional[str] = None,
        webhook_url: Optional[str] = None,
        files: Optional[Iterable[File]] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> HostedRender:
        """Queues a render and returns its receipt at once; wait_for_render waits for its end. The fields are those of render."""
        fields = {
            "url": url,
            "html": html,
            "markdown": markdown,
            "base_url": base_url,
            "viewport": viewport,
            "device": device,
            "color_scheme": color_scheme,
            "media": media,
            "reduced_motion": reduced_motion,
            "contrast": contrast,
            "forced_colors": forced_colors,
            "locale": locale,
            "timezone": timezone,
            "geolocation": geolocation,
            "user_agent": user_agent,
            "clock": clock,
            "format": format,
            "put_url": put_url,
            "full_page": full_page,
            "clip": clip,
            "resize": resize,
            "compare_to": compare_to,
            "selector": selector,
            "omit_background": omit_background,
            "quality": quality,
            "page": page,
            "paper_format": paper_format,
            "paper": paper,
            "landscape": landscape,
            "print_background": print_background,
            "prefer_css_page_size": prefer_css_page_size,
            "scale": scale,
            "margin": margin,
            "header": header,
            "footer": footer,
            "page_numbers": page_numbers,
            "page_ranges": page_ranges,
            "single_page": single_page,
            "outline": outline,
            "tagged": tagged,
            "document": document,
            "password": password,
            "owner_password": owner_password,
            "permissions": permissions,
            "main_content": main_content,
            "outputs": outputs,
            "headers": headers,
            "cookies": cookies,
            "basic_auth": basic_auth,
            "javascript": javascript,
            "css": css,
            "script": script,
            "hide": hide,
            "block": block,
            "block_hosts": block_hosts,
            "network": network,
            "wait_until": wait_until,
            "wait_for": wait_for,
            "delay_ms": delay_ms,
            "timeout_ms": timeout_ms,
            "fail_on": fail_on,
            "max_age": max_age,
            "expires_in": expires_in,
            "reference": reference,
            "webhook_url": webhook_url,
            "async": True,
        }
        return _result(HostedRender, self._ask("render", fields, timeout, idempotency_key, files))


class _UploadCalls:
    def _store(
        self, file: Optional[File], url: Optional[str], fields: Dict[str, Any], timeout: Optional[float],
        idempotency_key: Optional[str],
    ) -> StoredUpload:  # fmt: skip
        raise NotImplementedError

    def create(
        self,
        file: Optional[File] = None,
        *,
        url: Optional[str] = None,
        expires_in: Optional[int] = None,
        filename: Optional[str] = None,
        title: Optional[str] = None,
        tags: Optional[List[str]] = None,
        album: Optional[str] = None,
        strip_metadata: Optional[bool] = None,
        password: Optional[str] = None,
        max_views: Optional[int] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> StoredUpload:
        """Stores one image: a file, or the one at a public url, which the service fetches. Only this result has delete_url.

        expires_in: How long the link lives, in seconds. From 60 to 31536000.
        filename: The filename instead of the one of the file; it is sanitized.
        title: A title.
        tags: Words to find it by.
        album: The id of the album that it is in.
        strip_metadata: Remove place, camera, time and the like from the file; its pixels stay as they are. Default:
            True.
        password: The password that visitors need to see the picture.
        max_views: How often visitors can be shown the picture; then the link ends, and the upload stays for its
            owner. From 1 to 1000000.
        """
        fields = {
            "expires_in": expires_in,
            "filename": filename,
            "title": title,
            "tags": tags,
            "album": album,
            "strip_metadata": strip_metadata,
            "password": password,
            "max_views": max_views,
        }
        return self._store(file, url, fields, timeout, idempotency_key)
# end


class Tintype(_RenderCalls):
    """The client of a Tintype service. Without arguments it uses the environment variables TINTYPE_URL and TINTYPE_API_KEY.

    max_retries: retries of one call, for all reasons together. on_retry: called before each wait; return False to raise the error instead.
    """

    def __init__(
        self, base_url: Optional[str] = None, api_key: Optional[str] = None, *, max_retries: int = 4,
        on_retry: Optional[Callable[[Retry], Optional[bool]]] = None,
    ) -> None:  # fmt: skip
        if not max_retries >= 0:
            raise ValueError(f"max_retries must be 0 or more, not {max_retries}")
        self._base_url = _check_base_url(base_url or os.environ.get("TINTYPE_URL"))
        self._key = _check_api_key(api_key or os.environ.get("TINTYPE_API_KEY"))
        self._max_retries = max_retries
        self._on_retry = on_retry
        #: Uploads, albums and upload links by version 2 of the interface.
        self.uploads = Uploads(self)
        self.albums = Albums(self)
        self.upload_links = UploadLinks(self)

    def upload(
        self, file: File, *, expires_in: Optional[int] = None, timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Upload:  # fmt: skip
        """Stores one image. expires_in: seconds, 60 to 31,536,000.

        timeout, here and below: seconds for each attempt; 0 or math.inf means none.
        """
        key = _check_idempotency_key(idempotency_key)
        body, content_type = _form([_load(file)], {"expires_in": expires_in})
        answer = self._send("/api/v1/upload", body, content_type, _seconds(timeout, "upload"), key)
        return _result(Upload, answer)

    def upload_batch(
        self, files: Iterable[File], *, expires_in: Optional[int] = None, timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None, on_item: Optional[Callable[[BatchItem], None]] = None,
    ) -> BatchResult:  # fmt: skip
        """Stores any number of images. More than the service accepts at once are sent as several batches, in order.

        A file that is too large or cannot be read becomes a failed item, and the others are sent. on_item gets each outcome as soon as
        it is known.
        """
        if isinstance(files, (str, bytes, bytearray, memoryview, os.PathLike)):
            raise TypeError("upload_batch takes a list of files, not one file")
        key = _check_idempotency_key(idempotency_key)
        seconds = _seconds(timeout, "upload")
        items: List[BatchItem] = []
        batch: List[Tuple[int, str, bytes]] = []
        meta: Optional[Meta] = None
        turn = 0

        def record(item: BatchItem) -> None:
            items.append(item)
            if on_item:
                on_item(item)

        def flush() -> None:
            nonlocal meta, turn
            if not batch:
                return
            turn += 1
            body, content_type = _form([(name, data) for _, name, data in batch], {"expires_in": expires_in})
            answer = self._send("/api/v1/upload/batch", body, content_type, seconds, f"{key}-{turn}")
            if not _is_batch(answer.json):
                raise _bad_answer(answer)
            meta = answer.meta
            for (index, _, _), item in zip(batch, answer.json["items"]):
                record(_item(item, index))
            batch.clear()

        try:
            for index, file in enumerate(list(files)):
                try:
                    name, data = _load(file)
                except TintypeError as error:
                    record(BatchFailure(index, error.filename or "image", ItemError(error.code, error.message)))
                    continue
                if len(batch) == _MAX_BATCH_FILES or sum(len(d) for _, _, d in batch) + len(data) > _MAX_BATCH_BYTES:
                    flush()
                batch.append((index, name, data))
            flush()
        except TintypeError as error:
            error.partial = sorted(items, key=lambda item: item.index)
            raise
        items.sort(key=lambda item: item.index)
        succeeded = sum(item.ok for item in items)
        return BatchResult(items, len(items), succeeded, len(items) - succeeded, meta)

    def delete(self, upload: Union[Upload, str], *, timeout: Optional[float] = None) -> None:
        """Deletes an upload by its result or its delete_url. This needs no key, and none is sent."""
        link = upload.delete_url if isinstance(upload, Upload) else str(upload)
        # The token is sent to base_url, wherever the link points.
        path = re.search(r"/api/uploads/[^/?#]+/delete\?token=[^#\s]+", link)
        if not path:
            raise ValueError("delete takes an upload or its delete_url")
        try:
            self._send(path.group(), b"", None, _seconds(timeout, "delete"), None)
        except TintypeError as error:
            # An earlier attempt deleted it, and its response was lost.
            if not (error.code == "not_found" and error.attempts > 1):
                raise

    def get_render(self, id: str, *, wait: int = 0, timeout: Optional[float] = None) -> HostedRender:
        """The receipt of a render: what it made, what failed to load, where the time went.

        wait is how many seconds, 0 to 30, the service may wait for the end of a queued render.
        """
        query = f"?wait={int(wait)}" if wait > 0 else ""
        seconds = _RENDER_SECONDS["render"] if timeout is None and wait > 0 else timeout
        return _result(HostedRender, self._read(_at("/api/v2/renders", id) + query, seconds))

    def wait_for_render(self, id: str, *, timeout: Optional[float] = None) -> HostedRender:
        """The receipt of a queued render when it has ended, however long that takes: its state is succeeded, failed or canceled."""
        while True:
            render = self.get_render(id, wait=30, timeout=timeout)
            if render.finished_at is not None:
                return render

    def list_renders(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, reference: Optional[str] = None,
        state: Optional[str] = None, created_after: Optional[str] = None, created_before: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Page[HostedRender]:  # fmt: skip
        """A page of the account's renders, the newest first. Times are texts such as 2026-01-31T09:00:00Z."""
        query = {
            "limit": limit, "cursor": cursor, "reference": reference, "state": state, "created_after": created_after,
            "created_before": created_before,
        }  # fmt: skip
        return self._list(HostedRender, "/api/v2/renders", query, timeout)

    def all_renders(
        self, *, reference: Optional[str] = None, state: Optional[str] = None, created_after: Optional[str] = None,
        created_before: Optional[str] = None, timeout: Optional[float] = None,
    ) -> Iterator[HostedRender]:  # fmt: skip
        """All of them, page by page."""
        return _all(lambda cursor: self.list_renders(
            cursor=cursor, limit=100, reference=reference, state=state, created_after=created_after,
            created_before=created_before, timeout=timeout,
        ))  # fmt: skip

    def delete_render(self, id: str, *, timeout: Optional[float] = None) -> None:
        """Cancels a render that waits or runs; deletes one that has ended, with its hosted files."""
        self._remove("/api/v2/renders", id, timeout)

    def usage(self, *, timeout: Optional[float] = None) -> Usage:
        """The units, the request budget and the renders of the account. Costs no unit."""
        return _result(Usage, self._read("/api/v2/usage", timeout), "month")

    def download(self, link: str, *, timeout: Optional[float] = None) -> Download:
        """A hosted file by its link: the file_url of an upload or the url of a hosted render. Needs no key, and costs nothing."""
        # It is asked of base_url, wherever the link points.
        path = re.search(r"/[fsp]/([\w.-]+)$", link)
        if not path:
            raise ValueError("download takes the link of a hosted file")
        answer = self._send(path.group(), b"", None, _seconds(timeout, "upload"), None, "GET", follow=True)
        content_type = answer.headers.get("Content-Type", "")
        # Text of a page is hosted in a sandbox; the page of a proxy is not.
        is_sandboxed = "sandbox" in (answer.headers.get("Content-Security-Policy") or "")
        if not (content_type.startswith("image/") or content_type == "application/pdf" or is_sandboxed):
            raise _bad_answer(answer)
        return Download(path.group(1), answer.data, content_type, answer.meta)

    def each(
        self, call: Callable[[_Source], _Made], sources: Iterable[_Source], *, concurrency: int = 4
    ) -> Generator[Outcome[_Source, _Made], None, None]:
        """Calls with each source, so many at once, in threads, and yields each outcome as soon as it is known, in any order.

            for outcome in tintype.each(lambda url: tintype.screenshot(url, full_page=True), urls, concurrency=8):
                print(outcome.source, outcome.result.save(".") if outcome.ok else outcome.error)

        A call that the request budget or the cap of renders refuses waits and is repeated. A refused key or a used-up quota ends the
        run with its error. Leaving the loop ends it too, after the calls that run.
        """
        if not concurrency >= 1:
            raise ValueError(f"concurrency must be 1 or more, not {concurrency}")
        if isinstance(sources, (str, bytes)):
            raise TypeError("each takes a list of sources, not one")
        return _each(call, iter(sources), concurrency)

    async def each_async(
        self, call: Callable[[_Source], _Made], sources: Iterable[_Source], *, concurrency: int = 4
    ) -> AsyncIterator[Outcome[_Source, _Made]]:
        """As each, for `async for`. One call is `await asyncio.to_thread(tintype.screenshot, url)`."""
        outcomes = self.each(call, sources, concurrency=concurrency)
        try:
            while True:
                outcome = await asyncio.to_thread(lambda: next(outcomes, None))
                if outcome is None:
                    return
                yield outcome
        finally:
            await asyncio.to_thread(outcomes.close)

    def link(self, request: Mapping[str, Any], *, timeout: Optional[float] = None) -> str:
        """A link that renders when somebody opens it, at most once for each max_age. sign_link does so without the service."""
        key = _check_idempotency_key(None)
        body = json.dumps(dict(request)).encode()
        answer = self._send("/api/v2/links", body, "application/json", _seconds(timeout, "delete"), key)
        url = answer.json.get("url") if isinstance(answer.json, dict) else None
        if not isinstance(url, str):
            raise _bad_answer(answer)
        return url

    def _read(
        self, path: str, timeout: Optional[float], *, method: str = "GET", body: Optional[Mapping[str, Any]] = None
    ) -> _Answer:
        data, content_type = (b"", None) if body is None else (json.dumps(dict(body)).encode(), "application/json")
        return self._send(path, data, content_type, _seconds(timeout, "delete"), _check_idempotency_key(None), method)

    def _list(
        self, kind: Type[_Result], path: str, query: Mapping[str, Union[str, int, None]], timeout: Optional[float]
    ) -> Page[_Result]:
        given = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        answer = self._read(f"{path}?{given}", timeout)
        if not _is_batch(answer.json):
            raise _bad_answer(answer)
        items = [_filled(kind, told, answer.meta) for told in answer.json["items"]]
        return Page(items, answer.json.get("next_cursor"), answer.meta)

    def _remove(self, path: str, id: str, timeout: Optional[float]) -> None:
        try:
            self._read(_at(path, id), timeout, method="DELETE")
        except TintypeError as error:
            # An earlier attempt deleted it, and its response was lost.
            if not (error.code == "not_found" and error.attempts > 1):
                raise

    def _ask(
        self, kind: str, fields: Dict[str, Any], timeout: Optional[float], idempotency_key: Optional[str],
        files: Optional[Iterable[File]] = None,
    ) -> _Answer:  # fmt: skip
        key = _check_idempotency_key(idempotency_key)
        body = json.dumps({name: value for name, value in fields.items() if value is not None})
        path = "/api/v2/renders" if kind == "render" else f"/api/v1/{kind}"
        loaded = [_load(file, _MAX_RENDER_FILE_BYTES) for file in files or []]
        if not loaded:
            return self._send(path, body.encode(), "application/json", _seconds(timeout, kind), key)
        form, content_type = _form(loaded, {"request": body})
        return self._send(path, form, content_type, _seconds(timeout, kind), key)

    def _send(
        self, path: str, body: bytes, content_type: Optional[str], timeout: Optional[float], key: Optional[str],
        method: str = "POST", *, follow: bool = False,
    ) -> _Answer:  # fmt: skip
        headers = {"User-Agent": f"tintype-python/{__version__}"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        if key is not None:
            # The same for every attempt, so that a request whose response was lost is done and metered once.
            headers["Authorization"] = f"Bearer {self._key}"
            headers["Idempotency-Key"] = key
        seen = dict.fromkeys(_RETRIES, 0)
        attempts = 0
        while True:
            attempts += 1
            answer: Optional[_Answer] = None
            try:
                answer = _exchange(self._base_url, method, path, body, headers, timeout, attempts)
                place = answer.headers.get("Location") if follow and 300 <= answer.status < 400 else None
                if place:
                    # The service may send readers of hosted files to its store. Nothing secret goes there.
                    store = urllib.parse.urlsplit(urllib.parse.urljoin(self._base_url + path, place))
                    target = urllib.parse.urlunsplit(("", "", store.path, store.query, ""))
                    answer = _exchange(f"{store.scheme}://{store.netloc}", method, target, body, headers, timeout, attempts)
                failure = _failure(answer)
            except TintypeError as error:
                failure = error
            if failure is None and answer is not None:
                return answer
            assert failure is not None
            failure.attempts = attempts
            delay = _delay(failure, seen) if attempts <= self._max_retries else None
            if delay is None or (self._on_retry and self._on_retry(Retry(failure, attempts, delay)) is False):
                # A batch whose files all failed still has an outcome for each file.
                if answer is not None and _is_batch(answer.json):
                    return answer
                raise failure
            _sleep(delay)


class Uploads(_UploadCalls):
    """tintype.uploads: images with a title, tags and an album, by version 2 of the interface."""

    _PATH = "/api/v2/uploads"

    def __init__(self, client: Tintype) -> None:
        self._client = client

    def get(self, id: str, *, timeout: Optional[float] = None) -> StoredUpload:
        return _result(StoredUpload, self._client._read(_at(self._PATH, id), timeout))

    def edit(self, id: str, changes: UploadChanges, *, timeout: Optional[float] = None) -> StoredUpload:
        """Changes what is given; None takes a title, album, password, expiry or limit away."""
        return _result(StoredUpload, self._client._read(_at(self._PATH, id), timeout, method="PATCH", body=changes))

    def delete(self, id: str, *, timeout: Optional[float] = None) -> None:
        """Ends the links. restore undoes it for as long as the dashboard does."""
        self._client._remove(self._PATH, id, timeout)

    def restore(self, id: str, *, timeout: Optional[float] = None) -> StoredUpload:
        return _result(StoredUpload, self._client._read(f"{_at(self._PATH, id)}/restore", timeout, method="POST"))

    def list(
        self, *, search: Optional[str] = None, tag: Optional[str] = None, album: Optional[str] = None, limit: Optional[int] = None,
        cursor: Optional[str] = None, sha256: Optional[str] = None, created_after: Optional[str] = None,
        created_before: Optional[str] = None, timeout: Optional[float] = None,
    ) -> Page[StoredUpload]:  # fmt: skip
        query = {
            "search": search, "tag": tag, "album": album, "sha256": sha256, "created_after": created_after,
            "created_before": created_before, "limit": limit, "cursor": cursor,
        }  # fmt: skip
        return self._client._list(StoredUpload, self._PATH, query, timeout)

    def all(
        self, *, search: Optional[str] = None, tag: Optional[str] = None, album: Optional[str] = None, sha256: Optional[str] = None,
        created_after: Optional[str] = None, created_before: Optional[str] = None, timeout: Optional[float] = None,
    ) -> Iterator[StoredUpload]:  # fmt: skip
        """All of them, page by page."""
        return _all(lambda cursor: self.list(
            search=search, tag=tag, album=album, sha256=sha256, created_after=created_after, created_before=created_before,
            cursor=cursor, limit=100, timeout=timeout,
        ))  # fmt: skip

    def _store(
        self, file: Optional[File], url: Optional[str], fields: Dict[str, Any], timeout: Optional[float],
        idempotency_key: Optional[str],
    ) -> StoredUpload:  # fmt: skip
        key = _check_idempotency_key(idempotency_key)
        if file is not None and url is None:
            body, content_type = _form([_load(file)], fields)
        elif file is None and url is not None:
            given = {name: value for name, value in {"url": url, **fields}.items() if value is not None}
            body, content_type = json.dumps(given).encode(), "application/json"
        else:
            raise TypeError("create takes either a file or the url of one")
        return _result(StoredUpload, self._client._send(self._PATH, body, content_type, _seconds(timeout, "upload"), key))


class Albums:
    """tintype.albums: one link for many uploads, which outlive it. The album of an upload puts it in."""

    _PATH = "/api/v2/albums"

    def __init__(self, client: Tintype) -> None:
        self._client = client

    def create(self, fields: Optional[NewAlbum] = None, *, timeout: Optional[float] = None) -> Album:
        return _result(Album, self._client._read(self._PATH, timeout, method="POST", body=fields or {}))

    def get(self, id: str, *, timeout: Optional[float] = None) -> Album:
        return _result(Album, self._client._read(_at(self._PATH, id), timeout))

    def edit(self, id: str, changes: AlbumChanges, *, timeout: Optional[float] = None) -> Album:
        return _result(Album, self._client._read(_at(self._PATH, id), timeout, method="PATCH", body=changes))

    def delete(self, id: str, *, timeout: Optional[float] = None) -> None:
        """Ends the link; the uploads stay."""
        self._client._remove(self._PATH, id, timeout)

    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, timeout: Optional[float] = None) -> Page[Album]:
        return self._client._list(Album, self._PATH, {"limit": limit, "cursor": cursor}, timeout)


class UploadLinks:
    """tintype.upload_links: addresses through which others upload for the account; whoever has one may."""

    _PATH = "/api/v2/upload_links"

    def __init__(self, client: Tintype) -> None:
        self._client = client

    def create(self, fields: Optional[NewUploadLink] = None, *, timeout: Optional[float] = None) -> UploadLink:
        """Only this result has the url and the token."""
        return _result(UploadLink, self._client._read(self._PATH, timeout, method="POST", body=fields or {}))

    def get(self, id: str, *, timeout: Optional[float] = None) -> UploadLink:
        return _result(UploadLink, self._client._read(_at(self._PATH, id), timeout))

    def delete(self, id: str, *, timeout: Optional[float] = None) -> None:
        self._client._remove(self._PATH, id, timeout)

    def list(
        self, *, limit: Optional[int] = None, cursor: Optional[str] = None, timeout: Optional[float] = None
    ) -> Page[UploadLink]:
        return self._client._list(UploadLink, self._PATH, {"limit": limit, "cursor": cursor}, timeout)


def _at(path: str, id: str) -> str:
    return f"{path}/{urllib.parse.quote(id, safe='')}"


def _all(read: Callable[[Optional[str]], Page[_Item]]) -> Iterator[_Item]:
    cursor: Optional[str] = None
    while True:
        page = read(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


# At one minute each, this is an hour of refusals.
_MAX_REFUSALS = 60
# After one of these, every further call would fail for the same reason.
_END_OF_RUN = ("unauthorized", "quota_exceeded")


def _each(
    call: Callable[[_Source], _Made], sources: Iterator[_Source], concurrency: int
) -> Generator[Outcome[_Source, _Made], None, None]:
    def attempt(source: _Source) -> Outcome[_Source, _Made]:
        refusals = 0
        while True:
            try:
                return Done(source, call(source))
            except TintypeError as error:
                refusals += 1
                if error.status != 429 or refusals > _MAX_REFUSALS:
                    return Failed(source, error)
                _sleep(2.0 if error.retry_after is None else error.retry_after)

    with concurrent.futures.ThreadPoolExecutor(concurrency) as threads:
        running = {threads.submit(attempt, source) for _, source in zip(range(concurrency), sources)}
        while running:
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                outcome = future.result()
                yield outcome
                if isinstance(outcome, Failed) and outcome.error.code in _END_OF_RUN:
                    raise outcome.error
                running |= {threads.submit(attempt, source) for _, source in zip(range(1), sources)}


def sign_link(request: Mapping[str, Any], *, base_url: str, link_key: str, secret: str) -> str:
    """Signs a link without asking the service. `request` has the fields of a render by their names in the API, max_age and valid_until.

        sign_link({"url": "https://example.com/", "max_age": 3600}, base_url=..., link_key="lk_...", secret="lksec_...")
    """
    text = json.dumps(dict(request), separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    payload = _base64url(text.encode())
    if len(payload) > 8192:
        raise ValueError(f"the link is too long: {len(payload)} of at most 8192 characters")
    signature = hmac.new(secret.encode(), f"v2.{payload}".encode(), hashlib.sha256).digest()
    return f"{_check_base_url(base_url)}/r/{link_key}/{payload}/{_base64url(signature)}"


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _kind(error: TintypeError) -> str:
    """limited: the service says when to retry. twice: worth at most two retries. transient: an outage. final: not retried."""
    status, is_retryable = _CONTRACT_ERRORS.get(error.code, (None, None))
    if error.retryable is not None:
        is_retryable = error.retryable
    if is_retryable is False:
        return "final"
    if error.status == 429:
        return "limited"
    if status == 502 or error.code == "timeout":
        return "twice"
    if is_retryable or error.code == "connection_failed" or (error.status or 0) >= 500:
        return "transient"
    return "final"


def _delay(error: TintypeError, seen: Dict[str, int]) -> Optional[float]:
    """Seconds to wait before the next attempt, or None if there is none."""
    kind = _kind(error)
    seen[kind] += 1
    if seen[kind] > _RETRIES[kind]:
        return None
    # RFC 9110, 10.2.3: Retry-After is for 503 as it is for 429.
    wait = error.retry_after if kind == "limited" or (kind == "transient" and error.status == 503) else None
    if wait is None:
        return _back_off(seen[kind])
    if wait > _LONGEST_RETRY_AFTER:
        return None
    # The first wait has some jitter too, or many workers would retry at the same moment.
    return wait + (_FIRST_JITTER * _random() if seen[kind] == 1 else _back_off(seen[kind] - 1))


def _back_off(turn: int) -> float:
    """0.5 to 1 s, then twice as long each time: half of the wait is fixed, half is random."""
    return min(_LONGEST_BACK_OFF, _FIRST_WAIT * 2.0 ** (turn - 1)) * (0.5 + _random() / 2)


def _retry_after(headers: http.client.HTTPMessage) -> Optional[float]:
    """A number of seconds or a date; None for anything else.

    A date is compared with the Date of the same response: the clock of this machine may be wrong.
    """
    value = headers.get("Retry-After")
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    until = _timestamp(value)
    if until is None:
        return None
    sent_at = _timestamp(headers.get("Date", ""))
    return max(0.0, float(math.ceil(until - (_now() if sent_at is None else sent_at))))


def _timestamp(date: str) -> Optional[float]:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _exchange(
    base_url: str, method: str, path: str, body: bytes, headers: Dict[str, str], timeout: Optional[float], attempts: int
) -> _Answer:
    """One attempt. It reads the body too, because the connection can break in the middle of it."""
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    connection, target, more = _connection(base_url, path, timeout)
    try:
        connection.connect()
        sock = connection.sock
        _limit(sock, deadline)
        try:
            # http.client follows no redirect: the key belongs to the address that it was given for.
            connection.request(method, target, body, {**headers, **more})
        except (BrokenPipeError, ConnectionResetError):
            # The service refuses a large upload before its end, and its response can be read.
            pass
        _limit(sock, deadline)
        response = connection.getresponse()
        chunks: List[bytes] = []
        # In pieces, because the timeout of a socket is for one read, and the deadline is for the whole response.
        while not chunks or chunks[-1]:
            _limit(sock, deadline)
            chunks.append(response.read1(65_536))
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
    except (OSError, http.client.HTTPException) as error:
        # socket.timeout is a name of TimeoutError from Python 3.10 on, and a class of its own before.
        if isinstance(error, (TimeoutError, socket.timeout)):
            raise _error("timeout", f"no complete answer within {timeout} s") from error
        raise _error("connection_failed", f"cannot reach {base_url}: {error or type(error).__name__}") from error
    finally:
        connection.close()
    data = b"".join(chunks)
    return _Answer(response.status, response.headers, data, _json(response.headers, data), _meta(response.headers, attempts))


def _limit(sock: socket.socket, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    sock.settimeout(None if left == math.inf else left)


def _connection(
    base_url: str, path: str, timeout: Optional[float]
) -> Tuple[http.client.HTTPConnection, str, Dict[str, str]]:
    """A connection, through the proxy of the environment if there is one; the request target; and headers for the proxy."""
    service = urllib.parse.urlsplit(base_url)
    host = service.hostname or ""
    # Always named: http.client would take the end of an IPv6 address for a port.
    port = service.port or (443 if service.scheme == "https" else 80)
    proxy_url = None if urllib.request.proxy_bypass(host) else urllib.request.getproxies().get(service.scheme)
    if proxy_url:
        proxy = urllib.parse.urlsplit(proxy_url if "//" in proxy_url else f"//{proxy_url}")
        more: Dict[str, str] = {}
        if proxy.username:
            login = f"{urllib.parse.unquote(proxy.username)}:{urllib.parse.unquote(proxy.password or '')}"
            more["Proxy-Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        if service.scheme == "http":
            return http.client.HTTPConnection(proxy.hostname or "", proxy.port, timeout=timeout), base_url + path, more
        tunnel = http.client.HTTPSConnection(
            proxy.hostname or "", proxy.port, timeout=timeout, context=ssl.create_default_context()
        )
        tunnel.set_tunnel(f"[{host}]" if ":" in host else host, port, more)
        return tunnel, service.path + path, {}
    if service.scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=timeout), service.path + path, {}
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(host, port, timeout=timeout, context=context), service.path + path, {}


def _failure(answer: _Answer) -> Optional[TintypeError]:
    """The error of a response; None if it is a result."""
    status = answer.status
    if 200 <= status < 300 or (_is_batch(answer.json) and status < 500):
        return None
    details: Dict[str, Any] = {
        "status": status, "meta": answer.meta, "retry_after": _retry_after(answer.headers),
    }  # fmt: skip
    told = answer.json.get("error") if isinstance(answer.json, dict) else None
    if isinstance(told, dict) and isinstance(told.get("code"), str) and isinstance(told.get("message"), str):
        more = {name: told.get(name) for name in ("field", "reason", "retryable")}
        return _error(told["code"], told["message"], **details, **more)
    if _is_batch(answer.json):
        return _error("internal", "every file of the batch failed", **details)
    if status >= 500:
        return _error("unavailable", f"the service answered {status}", **details)
    if status == 429:
        return _error("rate_limited", "the service answered 429", **details)
    hint = " (a redirect; is base_url right?)" if status < 400 else ""
    return _error("bad_answer", f"the service answered {status} without saying why{hint}", **details)


def _bad_answer(answer: _Answer) -> TintypeError:
    content_type = answer.headers.get("Content-Type", "no content type")
    message = f"the service answered {answer.status} with {content_type}, which is not a result"
    error = _error("bad_answer", message, status=answer.status, meta=answer.meta)
    error.attempts = answer.meta.attempts
    return error


def _json(headers: http.client.HTTPMessage, data: bytes) -> Any:
    if headers.get_content_type() != "application/json":
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _meta(headers: http.client.HTTPMessage, attempts: int) -> Meta:
    def number(name: str) -> Optional[int]:
        value = headers.get(f"x-service-{name}", "")
        return int(value) if re.fullmatch("[0-9]{1,15}", value) else None

    budget, allowance = number("ratelimit-limit"), number("quota-limit")
    return Meta(
        request_id=headers.get("x-request-id"),
        rate_limit=None
        if budget is None
        else RateLimit(budget, number("ratelimit-remaining") or 0, number("ratelimit-reset") or 0),
        quota=None
        if allowance is None
        else Quota(
            allowance, number("quota-remaining") or 0, number("quota-usage-percent"), number("quota-warning"),
            headers.get("x-service-overage") == "true",
        ),
        is_replay=headers.get("idempotent-replayed") == "true",
        attempts=attempts,
    )  # fmt: skip


_Result = TypeVar("_Result", Upload, HostedScreenshot, HostedPdf, HostedRender, StoredUpload, Album, UploadLink, Usage)


def _result(kind: Type[_Result], answer: _Answer, member: str = "id") -> _Result:
    # Every single result has this member; a proxy's own {} or [] has not.
    if not isinstance(answer.json, dict) or member not in answer.json:
        raise _bad_answer(answer)
    return _filled(kind, answer.json, answer.meta)


def _filled(kind: Type[_Result], told: Dict[str, Any], meta: Optional[Meta]) -> _Result:
    """By name, so that fields of a later version of the service are ignored."""
    values: Dict[str, Any] = {known.name: told.get(known.name) for known in dataclasses.fields(kind)}
    values["meta"] = meta
    return kind(**values)


def _item(told: Dict[str, Any], index: int) -> BatchItem:
    name = str(told.get("source_filename"))
    if told.get("ok"):
        return BatchSuccess(index, name, _filled(Upload, told["upload"], None))
    error = told.get("error") or {}
    return BatchFailure(index, name, ItemError(str(error.get("code")), str(error.get("message"))))


def _is_batch(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("items"), list)


def _render(answer: _Answer) -> Render:
    # The page of a proxy has no id.
    if "x-service-id" not in answer.headers:
        raise _bad_answer(answer)
    content_type = answer.headers.get("Content-Type", "")
    duration = answer.headers.get("x-service-duration-ms", "")
    return Render(
        id=answer.headers.get("x-service-id", ""),
        data=answer.data,
        content_type=content_type,
        duration_ms=int(duration) if re.fullmatch("[0-9]{1,15}", duration) else None,
        meta=answer.meta,
    )


def _load(file: File, limit: int = _MAX_FILE_BYTES) -> Tuple[str, bytes]:
    """Name and bytes. A stream is read into memory, because a retry must be able to send it again."""
    name, source = file if isinstance(file, tuple) else (None, file)
    if name is not None and not isinstance(name, str):
        raise TypeError("a file as a tuple is (filename, path, bytes or file object)")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _within_limit(name or "image", bytes(source), limit)
    if isinstance(source, (str, os.PathLike)):
        name = name or os.path.basename(os.fspath(source)) or "image"
        try:
            with open(source, "rb") as opened:
                return _within_limit(name, _read(opened, limit), limit)
        except OSError as error:
            raise _unreadable(name, error) from error
    if not hasattr(source, "read"):
        raise TypeError(f"a file is a path, bytes or a binary file object, not {type(source).__name__}")
    own = getattr(source, "name", None)
    name = name or (os.path.basename(own) if isinstance(own, str) else None) or "image"
    try:
        return _within_limit(name, _read(source, limit), limit)
    except OSError as error:
        raise _unreadable(name, error) from error


def _read(opened: BinaryIO, limit: int) -> bytes:
    chunks: List[bytes] = []
    size = 0
    while size <= limit:
        chunk = opened.read(limit + 1 - size)
        if not chunk:
            break
        if not isinstance(chunk, bytes):
            raise TypeError('the file object gives text; open it with "rb"')
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _within_limit(name: str, data: bytes, limit: int) -> Tuple[str, bytes]:
    if len(data) > limit:
        message = f"file: {name} is larger than {limit} bytes ({limit >> 20} MB)."
        raise _error("file_too_large", message, status=413, filename=name)
    return name, data


def _unreadable(name: str, error: OSError) -> TintypeError:
    return _error("unreadable_file", f"cannot read {name}: {error.strerror or error}", filename=name)


def _form(files: List[Tuple[str, bytes]], fields: Mapping[str, Any]) -> Tuple[bytes, str]:
    """A list is a part for each of its items; None is left out."""
    boundary = f"tintype{secrets.token_hex(16)}"
    parts: List[bytes] = []
    for name, given in fields.items():
        for value in given if isinstance(given, list) else [] if given is None else [given]:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode())
    for name, data in files:
        # As browsers do, so that a name cannot end the quoted string or the header line.
        escaped = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{escaped}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        # A file name that is not UTF-8 has surrogates in it.
        parts += [head.encode(errors="replace"), data, b"\r\n"]
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _save(name: str, content_type: str, data: bytes, path: Union[str, "os.PathLike[str]"], overwrite: bool) -> str:
    target = os.fspath(path)
    if os.path.isdir(target):
        kind = content_type.split(";")[0]
        ending = _ENDINGS.get(kind, kind.split("/")[-1])
        target = os.path.join(target, name if "." in name else f"{name}.{ending}")
    part = f"{target}.{secrets.token_hex(4)}.part"
    try:
        with open(part, "xb") as file:
            file.write(data)
        if overwrite:
            os.replace(part, target)
        else:
            _move_new(part, target)
    finally:
        if os.path.exists(part):
            os.remove(part)
    return target


def _move_new(part: str, target: str) -> None:
    """Gives the file its name, unless that is taken."""
    if os.name == "nt":
        os.rename(part, target)  # which refuses a name that is taken
        return
    try:
        os.link(part, target)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, "there is a file already; overwrite=True replaces it", target) from None
    except OSError:
        # A file system without links.
        with open(target, "xb") as file, open(part, "rb") as source:
            shutil.copyfileobj(source, file)


def _check_base_url(base_url: Optional[str]) -> str:
    if not base_url:
        raise ValueError("base_url is missing; pass it, or set TINTYPE_URL")
    parts = urllib.parse.urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'base_url must begin with http:// or https://, such as https://images.example.com, not "{base_url}"')
    # The message has no address in it, because of the password.
    if parts.username or parts.password:
        raise ValueError("base_url must not contain a user name or a password")
    if parts.query or parts.fragment:
        raise ValueError(f'base_url must not contain ? or #: "{base_url}"')
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _check_api_key(api_key: Optional[str]) -> str:
    if not api_key:
        raise ValueError("api_key is missing; pass it, or set TINTYPE_API_KEY")
    # Checked here, because a header that cannot be sent would name the key in its error.
    if not re.fullmatch(r"[\x21-\x7e]+", api_key):
        raise ValueError("api_key must consist of printable ASCII characters without spaces")
    return api_key


def _check_idempotency_key(key: Optional[str]) -> str:
    # 240, because the parts of a large batch add their number to the 255 that the API takes.
    if key is not None and not re.fullmatch(r"[\x21-\x7e]{1,240}", key):
        raise ValueError("idempotency_key must have 1 to 240 visible ASCII characters")
    return key or secrets.token_hex(16)


def _seconds(timeout: Optional[float], kind: str) -> Optional[float]:
    if timeout is None:
        return {**_SECONDS, **_RENDER_SECONDS}[kind]
    if not timeout >= 0:
        raise ValueError(f"timeout must be a number of seconds, 0 for none, not {timeout}")
    # Past this a socket cannot wait.
    return None if timeout == 0 or timeout > 2**31 / 1000 else float(timeout)
