"""Client for a Tintype service: image hosting, screenshots and PDFs. One file, Python 3.9 or newer, standard library only.

    from tintype import Tintype

    tintype = Tintype()  # uses TINTYPE_URL and TINTYPE_API_KEY
    print(tintype.upload("photo.jpg", expires_in=86_400).url)
    tintype.screenshot("https://example.com/", full_page=True).save("example.png")

It retries like the TypeScript client: a refused request is never repeated, Retry-After is respected, and a request whose response was
lost is sent again with the same Idempotency-Key, so that it is done and metered once. Several threads may use one client.
"""

from __future__ import annotations

import base64
import dataclasses
import email.utils
import errno
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
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union

__version__ = "0.1.0"
__all__ = [
    "AuthenticationError", "BatchItem", "BatchResult", "HostedPdf", "HostedScreenshot", "ItemError", "Meta", "Quota",
    "QuotaExceededError", "RateLimit", "RateLimitError", "Render", "RenderError", "RequestError", "Retry", "Tintype",
    "TintypeError", "UnavailableError", "Upload",
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
class BatchItem:
    ok: bool
    index: int
    source_filename: str
    upload: Optional[Upload] = None
    error: Optional[ItemError] = None


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
    """A picture or a PDF."""

    id: str
    data: bytes = field(repr=False)
    content_type: str
    duration_ms: Optional[int]
    meta: Meta = field(repr=False)

    def save(self, path: Union[str, "os.PathLike[str]"], *, overwrite: bool = False) -> str:
        """Writes the whole file or nothing, and returns its path. In a folder, the file is named after the id.

        Raises FileExistsError if the file exists, unless overwrite is true.
        """
        target = os.fspath(path)
        if os.path.isdir(target):
            target = os.path.join(target, f"{self.id}.{self.content_type.split('/')[-1]}")
        part = f"{target}.{secrets.token_hex(4)}.part"
        try:
            with open(part, "xb") as file:
                file.write(self.data)
            if overwrite:
                os.replace(part, target)
            else:
                _move_new(part, target)
        finally:
            if os.path.exists(part):
                os.remove(part)
        return target


class TintypeError(Exception):
    """Everything that can go wrong with a call. A wrong argument is a TypeError or ValueError instead, and nothing is sent.

    code is one of the API's own, or connection_failed, timeout, unavailable (a 5xx that is not the service's), bad_answer or
    unreadable_file.
    """

    def __init__(
        self, code: str, message: str, *, status: Optional[int] = None, meta: Optional[Meta] = None,
        retry_after: Optional[float] = None, filename: Optional[str] = None,
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
    "not_found": (404, False),
    "method_not_allowed": (405, False),
    "file_too_large": (413, False),
    "batch_too_large": (413, False),
    "unsupported_type": (415, False),
    "validation_error": (422, False),
    "too_many_files": (422, False),
    "rate_limited": (429, True),
    "concurrency_limited": (429, True),
    "internal": (500, True),
    "capture_failed": (502, True),
    "render_failed": (502, True),
}


_MAX_FILE_BYTES = 10485760
_MAX_BATCH_FILES = 10
_MAX_BATCH_BYTES = 52428800
# How long to wait for a render: its own time limit, the queue, and 15 s for the network.
_RENDER_SECONDS = {"screenshot": 105.0, "pdf": 120.0}


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
    content_type: str
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
    format: str
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
    paper_format: str
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
    wait_until: str
    #: Extra wait used.
    delay_ms: int
    #: Render duration in milliseconds.
    duration_ms: Optional[int]
    #: Size of the stored file in bytes.
    size_bytes: Optional[int]
    #: What the headers of the response say. A file of a batch has None: the batch has it.
    meta: Optional[Meta] = field(default=None, repr=False)


class _RenderCalls:
    """The renders of Tintype. A field that is None is not sent, so the service's default holds."""

    def _ask(self, kind: str, fields: Dict[str, Any], timeout: Optional[float], idempotency_key: Optional[str]) -> _Answer:
        raise NotImplementedError

    def screenshot(
        self,
        url: str,
        *,
        full_page: Optional[bool] = None,
        format: Optional[str] = None,
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
        format: Optional[str] = None,
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
        paper_format: Optional[str] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        viewport: Optional[Mapping[str, int]] = None,
        wait_until: Optional[str] = None,
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
        paper_format: Optional[str] = None,
        landscape: Optional[bool] = None,
        print_background: Optional[bool] = None,
        prefer_css_page_size: Optional[bool] = None,
        scale: Optional[float] = None,
        margin: Optional[Mapping[str, Union[float, str]]] = None,
        viewport: Optional[Mapping[str, int]] = None,
        wait_until: Optional[str] = None,
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

    def upload(
        self, file: File, *, expires_in: Optional[int] = None, timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Upload:  # fmt: skip
        """Stores one image. expires_in: seconds, 60 to 31,536,000.

        timeout, here and below: seconds for each attempt; 0 or math.inf means none.
        """
        key = _check_idempotency_key(idempotency_key)
        body, content_type = _form([_load(file)], expires_in)
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
            body, content_type = _form([(name, data) for _, name, data in batch], expires_in)
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
                    record(BatchItem(False, index, error.filename or "image", error=ItemError(error.code, error.message)))
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

    def _ask(self, kind: str, fields: Dict[str, Any], timeout: Optional[float], idempotency_key: Optional[str]) -> _Answer:
        key = _check_idempotency_key(idempotency_key)
        body = json.dumps({name: value for name, value in fields.items() if value is not None}).encode()
        return self._send(f"/api/v1/{kind}", body, "application/json", _seconds(timeout, kind), key)

    def _send(
        self, path: str, body: bytes, content_type: Optional[str], timeout: Optional[float], key: Optional[str]
    ) -> _Answer:
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
                answer = _exchange(self._base_url, path, body, headers, timeout, attempts)
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


def _kind(error: TintypeError) -> str:
    """limited: the service says when to retry. twice: worth at most two retries. transient: an outage. final: not retried."""
    status, is_retryable = _CONTRACT_ERRORS.get(error.code, (None, None))
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
    return min(_LONGEST_BACK_OFF, _FIRST_WAIT * 2 ** (turn - 1)) * (0.5 + _random() / 2)


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
    base_url: str, path: str, body: bytes, headers: Dict[str, str], timeout: Optional[float], attempts: int
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
            connection.request("POST", target, body, {**headers, **more})
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
        return _error(told["code"], told["message"], **details)
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


_Result = TypeVar("_Result", Upload, HostedScreenshot, HostedPdf)


def _result(kind: Type[_Result], answer: _Answer) -> _Result:
    # Every single result has an id; a proxy's own {} or [] has none.
    if not isinstance(answer.json, dict) or "id" not in answer.json:
        raise _bad_answer(answer)
    return _filled(kind, answer.json, answer.meta)


def _filled(kind: Type[_Result], told: Dict[str, Any], meta: Optional[Meta]) -> _Result:
    """By name, so that fields of a later version of the service are ignored."""
    names = [known.name for known in dataclasses.fields(kind) if known.name != "meta"]
    return kind(**{name: told.get(name) for name in names}, meta=meta)


def _item(told: Dict[str, Any], index: int) -> BatchItem:
    name = str(told.get("source_filename"))
    if told.get("ok"):
        return BatchItem(True, index, name, upload=_filled(Upload, told["upload"], None))
    error = told.get("error") or {}
    return BatchItem(False, index, name, error=ItemError(str(error.get("code")), str(error.get("message"))))


def _is_batch(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("items"), list)


def _render(answer: _Answer) -> Render:
    content_type = answer.headers.get("Content-Type", "")
    if content_type not in ("image/png", "image/jpeg", "image/webp", "application/pdf"):
        raise _bad_answer(answer)
    duration = answer.headers.get("x-service-duration-ms", "")
    return Render(
        id=answer.headers.get("x-service-id", ""),
        data=answer.data,
        content_type=content_type,
        duration_ms=int(duration) if re.fullmatch("[0-9]{1,15}", duration) else None,
        meta=answer.meta,
    )


def _load(file: File) -> Tuple[str, bytes]:
    """Name and bytes. A stream is read into memory, because a retry must be able to send it again."""
    name, source = file if isinstance(file, tuple) else (None, file)
    if name is not None and not isinstance(name, str):
        raise TypeError("a file as a tuple is (filename, path, bytes or file object)")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _within_limit(name or "image", bytes(source))
    if isinstance(source, (str, os.PathLike)):
        name = name or os.path.basename(os.fspath(source)) or "image"
        try:
            with open(source, "rb") as opened:
                return _within_limit(name, _read(opened))
        except OSError as error:
            raise _unreadable(name, error) from error
    if not hasattr(source, "read"):
        raise TypeError(f"a file is a path, bytes or a binary file object, not {type(source).__name__}")
    own = getattr(source, "name", None)
    name = name or (os.path.basename(own) if isinstance(own, str) else None) or "image"
    try:
        return _within_limit(name, _read(source))
    except OSError as error:
        raise _unreadable(name, error) from error


def _read(opened: BinaryIO) -> bytes:
    chunks: List[bytes] = []
    size = 0
    while size <= _MAX_FILE_BYTES:
        chunk = opened.read(_MAX_FILE_BYTES + 1 - size)
        if not chunk:
            break
        if not isinstance(chunk, bytes):
            raise TypeError('the file object gives text; open it with "rb"')
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _within_limit(name: str, data: bytes) -> Tuple[str, bytes]:
    if len(data) > _MAX_FILE_BYTES:
        message = f"file: {name} is larger than {_MAX_FILE_BYTES} bytes (10 MB)."
        raise _error("file_too_large", message, status=413, filename=name)
    return name, data


def _unreadable(name: str, error: OSError) -> TintypeError:
    return _error("unreadable_file", f"cannot read {name}: {error.strerror or error}", filename=name)


def _form(files: List[Tuple[str, bytes]], expires_in: Optional[int]) -> Tuple[bytes, str]:
    boundary = f"tintype{secrets.token_hex(16)}"
    parts: List[bytes] = []
    if expires_in is not None:
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="expires_in"\r\n\r\n{expires_in}\r\n'.encode())
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
