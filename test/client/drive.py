"""Drives the Python client for python.test.ts: one call a line on stdin, its outcome a line on stdout, both JSON.

Waits between attempts are written down instead of waited for, and chance is one half.
"""

import base64
import dataclasses
import io
import json
import sys

import tintype

waits = []
timeouts = []
start = 1_767_225_600.0  # 2026-01-01
clock = {"now": start}


def sleep(seconds):
    waits.append(round(seconds * 1000))
    clock["now"] += seconds


def exchange(base_url, method, path, body, headers, timeout, attempts):
    timeouts.append(timeout)
    return real_exchange(base_url, method, path, body, headers, timeout, attempts)


real_exchange = tintype._exchange
tintype._exchange = exchange
tintype._sleep = sleep
tintype._now = lambda: clock["now"]
tintype._random = lambda: 0.5


def plain(value):
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def source(value):
    """{"bytes": …}, {"stream": …} and {"named": [name, …]} stand for what JSON does not have."""
    if isinstance(value, list):
        return [source(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "named" in value:
        return (value["named"][0], source(value["named"][1]))
    if "text" in value:
        return io.StringIO(value["text"])
    if "bytes" not in value and "stream" not in value:
        return value
    data = base64.b64decode(value.get("bytes", value.get("stream")))
    return io.BytesIO(data) if "stream" in value else data


def failure(error):
    outcome = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, tintype.TintypeError):
        for name in ("code", "status", "attempts", "is_retryable", "request_id", "meta", "partial"):
            outcome[name] = plain(getattr(error, name))
        outcome["message"] = error.message
        outcome["cause"] = repr(error.__cause__)
        outcome["is_tintype_error"] = isinstance(error, tintype.TintypeError)
    return outcome


for line in sys.stdin:
    call = json.loads(line)
    waits.clear()
    timeouts.clear()
    clock["now"] = start
    told = []
    try:
        options = dict(call.get("client", {}))
        if "stop_after" in options:
            stop_after = options.pop("stop_after")

            def on_retry(retry):
                told.append([retry.error.code, retry.attempts, round(retry.delay_seconds * 1000)])
                return retry.attempts < stop_after

            options["on_retry"] = on_retry
        client = tintype.Tintype(**options)
        target = client
        for name in call["method"].split("."):
            target = getattr(target, name)
        result = target(*map(source, call["args"]), **call.get("options", {}))
        if hasattr(result, "__next__"):
            result = list(result)
        outcome = {"result": plain(result), "repr": repr(result)}
        if "save" in call:
            outcome["saved"] = result.save(**call["save"])
    except Exception as error:
        outcome = {"error": failure(error)}
    print(json.dumps({**outcome, "waits": waits, "timeouts": timeouts, "told": told}), flush=True)
