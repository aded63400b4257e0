"""What the agents ask for, one turn at a time."""


class TurnDraws:
    """Every turn's numbers stand at its own place.

    Parameters
    ----------
    workload : Workload
    """

    def __init__(self, workload):
        self.inputs, self.outputs = workload.inputs.tolist(), workload.outputs.tolist()
        # one more, for the wait after the very last turn, which nobody uses
        self.waits = [*workload.waits.tolist(), 0]
        self.carried = None if workload.carried is None else workload.carried.tolist()

    def tokens(self, agent):
        """Return new input and output tokens of the agent's next turn."""
        return self.inputs[agent.position], self.outputs[agent.position]

    def wait(self, agent):
        """Return the ticks to wait before the agent's next turn."""
        return self.waits[agent.position]


class StreamDraws(TurnDraws):
    """One stream of draws, used in the order in which things happen.

    Attributes
    ----------
    route : int
        The draw for the last request's route, if routes are drawn.
    """

    def __init__(self, workload, draws_route):
        super().__init__(workload)
        self.stream = workload.stream.tolist()
        self.used = workload.turns.size
        self.draws_route, self.route = draws_route, 0

    def tokens(self, agent):
        """Draw a request: its route, its new input and its output tokens."""
        if self.draws_route:
            self.route = self.stream[self.used]
            self.used += 1
        self.used += 2
        return self.inputs[self.used - 2], self.outputs[self.used - 1]

    def wait(self, agent):
        """Draw the ticks to wait before the agent's next turn."""
        self.used += 1
        return self.waits[self.used - 1]
