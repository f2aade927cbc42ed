"""Every game as an environment of PettingZoo, for training bots.

It needs the extra ``polynya[rl]``; nothing else in Polynya imports it.
"""

try:
    from polynya_games.rl.environment import Environment, env
except ModuleNotFoundError as error:
    if error.name not in ("gymnasium", "numpy", "pettingzoo"):
        raise
    raise ModuleNotFoundError(
        f"polynya_games.rl needs {error.name}; pip install 'polynya[rl]' brings it",
        name=error.name,
    ) from error

__all__ = ["Environment", "env"]
