"""The commands, by name."""

import typer

from wenmai.cli.commands.ask import ask
from wenmai.cli.commands.chat import chat
from wenmai.cli.commands.delete import delete
from wenmai.cli.commands.demo import demo
from wenmai.cli.commands.docs import app as docs
from wenmai.cli.commands.doctor import doctor
from wenmai.cli.commands.entities import app as entities
from wenmai.cli.commands.experiment import experiment
from wenmai.cli.commands.ingest import ingest
from wenmai.cli.commands.keys import app as keys
from wenmai.cli.commands.knowledge import app as knowledge
from wenmai.cli.commands.libraries import libraries
from wenmai.cli.commands.memory import app as memory
from wenmai.cli.commands.migrate import migrate
from wenmai.cli.commands.reembed import reembed
from wenmai.cli.commands.trace import trace

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
