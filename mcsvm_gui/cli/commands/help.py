"""mcsvm help"""

from __future__ import annotations

import argparse

from mcsvm.solvers.errors import InputError, choices_for
from mcsvm_gui.cli import COMMANDS, command_parsers, main_help
from mcsvm_gui.cli.parser import TOPICS
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.terminal import say


def run(options: argparse.Namespace) -> int:
    topic = options.topic
    if topic is None:
        text = main_help()
    elif topic in TOPICS:
        text = command_parsers(["train"])["train"].format_topic(topic)
    elif topic in COMMANDS:
        text = command_parsers([topic])[topic].format_help()
    else:
        raise InputError(
            "there is no command or topic {topic!r}; choose one of {choices}",
            topic=topic,
            choices=choices_for(topic, (*COMMANDS, *TOPICS)),
        )
    say(*text.rstrip("\n").split("\n"))
    return DONE
