"""`onthoud deploy`: the steps of a deployment, as text. It changes nothing; SAM does the work."""

from __future__ import annotations

import typer

from infra.cli import show

STEPS = """\
Deploying Onthoud into your own AWS account. This prints the steps and does none of them.

1. Store the secrets (once per stage; the functions read them at run time and nowhere else):
     aws ssm put-parameter --type SecureString --name /onthoud/anthropic-api-key --value ...
     aws ssm put-parameter --type SecureString --name /onthoud/channel-secret --value ...
   With the knowledge base: the token of your Upstash index too (parameter UpstashTokenParameter).

2. Build, then deploy with questions asked (Python 3.11 or newer, no Docker):
     make build
     sam deploy --guided
   Begin with Mode=shadow: the bots decide and log, and send nothing. Then draft, then auto.

3. Look at what it does:
     onthoud --stack onthoud switch show
     onthoud --stack onthoud explain EVENT_ID
     onthoud --stack onthoud drafts list
   Your own role needs cloudformation:ListStackResources and lambda:GetFunctionConfiguration to find the stack, and
   access to its table, its dead-letter queues and the channel's secret to work on it.

4. A second stage beside it (its own table, queues and bus):
     sam deploy --config-env test
   Give a stage of its own secrets by ModelKeyParameter and ChannelSecretParameter.

5. Stop, go back, take down:
     onthoud --stack onthoud switch off       stops all sending now; what is held back becomes drafts
     sam deploy                               from an earlier commit goes back to it
     sam delete                               takes the stack down; the memory table is kept (deletion protection)
"""


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(deploy)


def deploy() -> None:
    """Print the steps of a deployment."""
    show.console().print(STEPS, soft_wrap=True, end="")
