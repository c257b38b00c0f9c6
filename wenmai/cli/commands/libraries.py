"""`wenmai libraries`, `notes`, `rename`, `delete`: what there is to ask, titles, and deletion with a receipt."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.messages import Message, Names, say
from wenmai.cli.options import ChapterOption, PartOption, YesOption, guard_of
from wenmai.cli.output.terminal import print_line, print_place, print_table, require_yes
from wenmai.cli.placing import run, run_on_stores

if TYPE_CHECKING:
    from wenmai.application.libraries import DeletionReceipt, Library
    from wenmai.application.passages import LastPlace, NoteView
    from wenmai.cli.placing import Operations

KINDS = ("chapters", "passages", "entities", "relations", "events")
NOTE_CHARACTERS = 120
RECEIPT = {
    "passages": Message("count.passages"),
    "chapters": Message("count.chapters"),
    "entities": Message("count.entities"),
    "relations": Message("count.relations"),
    "events": Message("count.events"),
    "answers": Message("count.kept_answers"),
}


def libraries(as_of_chapter: ChapterOption = None, as_of_part: PartOption = None) -> None:
    """List the libraries, also those that another process holds.

    Under a guard each is shown as its reader knows it.
    """
    from wenmai.application.paging import EVERY

    guard = guard_of(as_of_chapter, as_of_part)
    rows = run(lambda app: app.libraries.list(guard=guard, limit=EVERY)).items
    if rows:
        print_table(Message("cli.libraries.columns"), map(row_of, rows))
    else:
        print_line(say("cli.libraries.none"))


def row_of(library: "Library") -> list[str]:
    counted = [getattr(library, kind) for kind in KINDS]
    counts = ["—" if count is None else str(count) for count in counted]
    return [library.name, library.title, "\n".join(library.sources), *counts, library.embedder, state_of(library)]


def state_of(library: "Library") -> str:
    """Return whether a library can be asked; under a guard also which part is meant."""
    if library.state == "in_use":
        is_counted = library.entities is not None or library.as_of is not None
        state = say("cli.libraries.in_use" if is_counted else "cli.libraries.in_use_uncounted")
    elif library.state == "unfinished" or not (library.chapters or library.problem):
        state = say("library.not_ingested_to_the_end")
    else:
        state = library.problem or library.warning or say("cli.libraries.ready")
    return f"{state}\n{say('guard.visible_until', **library.as_of.model_dump())}" if library.as_of else state


def notes(
    library: Annotated[str, typer.Option("--library", "-l", help="help.notes.library")],
    kind: Annotated[str | None, typer.Option(help="help.notes.kind")] = None,
    source: Annotated[str | None, typer.Option(help="help.option.source")] = None,
    full: Annotated[bool, typer.Option("--full", help="help.notes.full")] = False,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show what stood in the texts of a library and is no story: it is never searched or quoted."""
    from wenmai.application.paging import EVERY
    from wenmai.cli.output.ingest import NOTE_KINDS

    if kind not in (None, *NOTE_KINDS):
        raise InputError(say("cli.option.unknown_kind", kind=kind, kinds=Names(NOTE_KINDS)))
    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Operations") -> "tuple[LastPlace | None, list[NoteView]]":
        place = await app.passages.last_place(library, guard)
        found = await app.passages.notes(library, source=source, guard=guard, limit=EVERY)
        return place, [one for one in found.items if kind in (None, one.kind)]

    last, rows = run(work)
    print_place(last)
    if not rows:
        print_line(say("cli.libraries.no_notes", library=library))
    for one in rows:
        title = one.title or Message("cli.libraries.chapter", number=one.chapter)
        print_line(
            say("cli.libraries.note_place", task=one.source, title=title, line=one.line, kind=NOTE_KINDS[one.kind]),
            "dim",
        )
        text = one.text if full else " ".join(one.text.split())
        print_line(text if full or len(text) <= NOTE_CHARACTERS else f"{text[:NOTE_CHARACTERS]}…")


def rename(
    library: Annotated[str, typer.Argument(help="help.rename.library")],
    title: Annotated[str | None, typer.Option(help="help.rename.title")] = None,
    author: Annotated[list[str] | None, typer.Option(help="help.rename.author")] = None,
    source: Annotated[str | None, typer.Option(help="help.option.source")] = None,
) -> None:
    """Give a library, or one of its texts, another title or other authors."""
    changed = run(lambda app: app.libraries.rename(library, title, authors=author, source=source))
    authors = say("sign.list").join(changed.authors)
    key = "cli.libraries.renamed" if authors else "cli.libraries.retitled"
    print_line(say(key, library=library, title=changed.title, authors=authors))


def delete(
    library: Annotated[str, typer.Argument(help="help.delete.library")],
    source: Annotated[str | None, typer.Option(help="help.option.source")] = None,
    abandoned: Annotated[bool, typer.Option("--abandoned", help="help.delete.abandoned")] = False,
    everything: Annotated[bool, typer.Option("--everything", help="help.delete.everything")] = False,
    yes: YesOption = False,
) -> None:
    """Delete a library, or one source, from vectors, graph and catalog, and print a receipt."""
    if everything and (source or abandoned):
        raise InputError(say("cli.option.everything_alone"))
    if abandoned:
        delete_abandoned(library, source, yes)
        return

    async def work(app: "Operations") -> "DeletionReceipt":
        if source:
            return await app.libraries.delete_source(library, source)
        return await app.libraries.delete(library, everything=everything)

    run(lambda app: app.libraries.require(library, everything=everything))
    what = say("cli.libraries.source" if source else "cli.libraries.library", library=library, source=source)
    whole = say("cli.libraries.with_conversations", what=what) if everything else what
    require_yes(say("cli.libraries.confirm_delete", what=whole), yes)
    receipt = run(work)
    print_line(say("cli.libraries.deleted", what=what), "bold")
    counts = {kind: getattr(receipt, kind) for kind in RECEIPT}
    is_gone = everything and not any(count != 0 for count in counts.values())  # only what had asked it was there
    for kind, count in () if is_gone else counts.items():
        known = Message("count.unreadable") if count is None else count
        print_line(say("cli.libraries.count_row", kind=RECEIPT[kind], count=known))
    left = {"threads": receipt.threads, "traces": receipt.traces}
    if not any(left.values()):
        print_line(say("cli.libraries.no_conversations"), "dim")
    elif everything:
        print_line(say("cli.libraries.conversations_deleted", **left), "dim")
    else:
        print_line(say("cli.libraries.conversations_left", library=library, **left), "dim")


def delete_abandoned(library: str, source: str | None, yes: bool) -> None:
    """Delete what a catalog that is lost has left on servers; what is here stays."""
    if source is not None:
        raise InputError(say("cli.option.abandoned_alone"))

    owners = run_on_stores(lambda app: app.libraries.owners_elsewhere(library))
    if not owners:
        raise InputError(Message("cli.libraries.nothing_abandoned", library=library))
    whose = Names(owners)
    require_yes(say("cli.libraries.confirm_delete_abandoned", library=library, whose=whose), yes)
    run_on_stores(lambda app: app.libraries.delete_elsewhere(library))
    print_line(say("cli.libraries.deleted_abandoned", library=library, whose=whose), "bold")
