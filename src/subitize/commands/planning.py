"""`subitize plan`: what a run will ask, cost and be able to tell; nobody is asked."""

from __future__ import annotations

from typing import Any

from subitize.commands import options as given
from subitize.commands.about_benchmarks import OfBenchmark
from subitize.commands.printing import Json, show
from subitize.commands.starting import (
    Wanted,
    check_reading,
    object_from,
    prepare,
    prices_from,
)
from subitize.models.base import ModelOptions
from subitize.opening import Plan, plan_of
from subitize.runs.estimating import RULES, SECONDS, Estimate, How
from subitize.runs.limits import at_least_one
from subitize.runs.shards import WHOLE, Shard

COMMAND = OfBenchmark


def plan(  # noqa: PLR0913, PLR0917  the options of the command, one each
    benchmark: given.BenchmarkName,
    model: given.Models,
    from_: given.From = None,
    profile: given.Profile = None,
    set_: given.Set = None,
    per_cell: given.PerCell = None,
    max_: given.Max = None,
    size: given.Size = None,
    categories: given.Categories = None,
    prompt: given.Prompt = None,
    top_up: given.TopUp = False,
    seed: given.Seed = None,
    limit: given.Limit = None,
    base_url: given.BaseUrls = None,
    api_key_env: given.KeyEnvs = None,
    header: given.Headers = None,
    temperature: given.Temperature = None,
    max_tokens: given.MaxTokens = None,
    extra_body: given.ExtraBody = None,
    trust_remote_code: given.TrustCode = False,
    price_in: given.PriceIn = None,
    price_out: given.PriceOut = None,
    concurrency: given.Concurrency = None,
    reader: given.Reader = None,
    counter: given.Counter = None,
    calibration: given.Calibration = None,
    json: Json = False,
) -> None:
    """Requests, pictures, tokens, cost and minutes of a run, the intervals it will give and the
    differences it will tell; asks nobody."""
    wanted = Wanted(
        benchmark, model,
        {"seed": seed, "per_cell": per_cell, "max": max_, "size": size, "categories": categories,
         "prompt": prompt, "top_up": top_up or None},
        set_ or [], profile, counter, tuple(base_url or ()), tuple(api_key_env or ()),
        tuple(header or ()),
        ModelOptions(None, None, temperature, max_tokens, extra_body=object_from(extra_body),
                     trust_remote_code=trust_remote_code, asks=False),
    )  # fmt: skip
    at_least_one("concurrency", concurrency)
    at_least_one("limit", limit)
    how = How(concurrency, limit, prices_from(price_in, price_out))
    prepared = prepare(wanted)
    # Neither changes what is asked, but a run with words that are wrong would not begin.
    check_reading(prepared, reader, calibration)
    plans = [plan_of(one.benchmark, one.settings, one.model, one.helpers, how) for one in prepared]
    show([one.as_json() for one in plans], "\n\n".join(map(_text, plans)), json)


def told_in_a_line(model: str, found: Estimate, shard: Shard = WHOLE) -> str:
    """What a run is about to ask, before it does."""
    parts = [f"{model}: {found.requests:,} requests"]
    if found.open_stages:
        parts[0] += " and perhaps further rounds"
    if found.pictures:
        size = f" ({found.bytes / 1e6:,.1f} MB)" if found.bytes else ""
        parts.append(f"{found.pictures:,} pictures{size}")
    if found.tokens_in:
        parts.append(f"about {found.tokens_in:,} tokens in, {found.tokens_out:,} out")
    parts += [f"{many:,} requests to its {role}" for role, many in found.helpers.items()]
    parts.append(
        f"about {found.usd:.2f} US dollars"
        if found.usd is not None
        else "price not known (--price-in, --price-out)"
    )
    parts.append(_time(found))
    whole = "" if shard == WHOLE else f" (of all {shard[1]} shards together)"
    return f"{', '.join(parts)}{whole}; what is stored already is not asked again."


def _reach(width: float | None, digits: int, unit: str = "") -> str:
    """Half an interval; a share in points where they are named."""
    if width is None:
        return "without one"
    return f"± {(50 if unit else 0.5) * width:.{digits}f}{unit}"


def _time(found: Estimate) -> str:
    minutes = max(1, round(found.minutes))
    many = f"about {minutes:,} minutes" if minutes > 1 else "a minute or less"
    return f"{many} at {found.concurrency} at once and {SECONDS:g} s a reply"


def _text(one: Plan) -> str:
    found = one.estimate
    lines = [f"{one.benchmark} · {one.model}"]
    stages = ", ".join(f"{many:,} {name}" for name, many in found.trials.items())
    rows: dict[str, Any] = {
        "trials": stages + (f"; further rounds: {', '.join(found.open_stages)}"
                            if found.open_stages else ""),
        "requests": f"{found.requests:,}" + ("" if one.paid else ", none of them paid"),
        "helpers": ", ".join(f"{many:,} to {role}" for role, many in found.helpers.items()),
        "pictures": f"{found.pictures:,}" + (f", {found.bytes / 1e6:,.1f} MB" if found.bytes
                                             else ""),
        "tokens": f"about {found.tokens_in:,} in, {found.tokens_out:,} out ({RULES})"
        if found.tokens_in and one.paid else "",
        "cost": (f"about {found.usd:.2f} US dollars" if found.usd is not None else
                 "not known: give --price-in and --price-out") if one.paid else "",
        "time": _time(found) if one.paid else "",
    }  # fmt: skip
    lines += [f"  {name:10} {said}" for name, said in rows.items() if said]
    if one.widths:
        lines.append("  95 % intervals that such runs have, from simulated observers:")
        lines += [
            f"    an observer with w = {row.w:g}: accuracy {_reach(row.accuracy, 1, ' points')}, "
            f"NAE {_reach(row.nae, 3)}"
            for row in one.widths
        ]
    elif one.share_width:
        lines.append(
            f"  a share of one half over {one.pictures:,} trials has a 95 % interval of "
            f"± {50 * one.share_width:.1f} points"
        )
    if one.power:
        lines.append("  two models are told apart on the same pictures (power .8, size .05):")
        lines += [
            f"    by {100 * row.difference:g} points, where {100 * row.discordant:g} % of the "
            f"pictures are answered rightly by one alone: {row.needed:,} pictures "
            f"({'enough here' if row.needed <= one.pictures else f'{one.pictures:,} here'})"
            for row in one.power
        ]
    return "\n".join(lines)
