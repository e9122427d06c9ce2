"""One event, one effect: ledger, switches, threads, outbox, sender, attempts, quarantine, decisions.

    event -> Desk.open (one read of all that decides) -> the bot decides -> Desk.close (one transaction)
          -> Sender.deliver (one send, one write)

What a crash leaves is finished by the next delivery of the same event, or by the sweeper.
"""
