"""The commands, by name."""

import typer

from wenmai.cli.ask import ask
from wenmai.cli.chat import chat
from wenmai.cli.delete import delete
from wenmai.cli.demo import demo
from wenmai.cli.docs import app as docs
from wenmai.cli.doctor import doctor
from wenmai.cli.entities import app as entities
from wenmai.cli.experiment import experiment
from wenmai.cli.ingest import ingest
from wenmai.cli.keys import app as keys
from wenmai.cli.knowledge import app as knowledge
from wenmai.cli.libraries import libraries
from wenmai.cli.memory import app as memory
from wenmai.cli.migrate import migrate
from wenmai.cli.reembed import reembed
from wenmai.cli.trace import trace

# Plain help: the framed one of rich costs more time than everything else that --help does.
app = typer.Typer(
    help="Wenmai (文脉): multi-turn, cited answers over long stories.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (demo, ingest, ask, chat, libraries, delete, reembed, migrate, trace, doctor, experiment):
    app.command()(command)
app.add_typer(entities, name="entities")
app.add_typer(memory, name="memory")
app.add_typer(knowledge, name="knowledge")
app.add_typer(docs, name="docs")
app.add_typer(keys, name="keys")
