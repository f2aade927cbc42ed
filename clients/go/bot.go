package polynya

import "context"

// A Bot follows its matches. The methods for one match are called one after the other, in the order
// of the events; those for different matches at the same time, if its Concurrency is above 1.
//
// An error of Turn ends the bot: it says goodbye, which forfeits its matches, and Run returns the
// error.
type Bot interface {
	// MatchStart tells that a match begins (or is taken up again); clocks wait for us.
	MatchStart(match *Match)
	// Turn gives the whole turn, as a list of steps.
	Turn(ctx context.Context, turn *Turn) ([]Step, error)
	// Moved tells that another player has moved; in matches with joint turns or hidden parts, and if
	// the bot wants "moved", also we ourselves.
	Moved(match *Match, moved Moved)
	// Forfeited tells that a player has forfeited, perhaps we ourselves.
	Forfeited(match *Match, forfeited Forfeited)
	// MatchOver tells that the match has ended.
	MatchOver(match *Match, over MatchOver)
}

// A Ponderer is a bot that thinks on the opponents' time. Ponder is called when there is nothing to do in
// the match; it returns when its context ends: something has happened there then, perhaps it is our
// turn. It is called again afterwards.
type Ponderer interface {
	Ponder(ctx context.Context, match *Match)
}

// A ConnectionHook is a bot that is told of its sessions: when a server has welcomed it, and by which
// name; and when the session has ended, and why: with nil the contest is over.
type ConnectionHook interface {
	Connected(name string)
	Disconnected(err error)
}

// Hooks does nothing: embed it in a bot that does not need all methods.
type Hooks struct{}

// MatchStart does nothing.
func (Hooks) MatchStart(*Match) {}

// Moved does nothing.
func (Hooks) Moved(*Match, Moved) {}

// Forfeited does nothing.
func (Hooks) Forfeited(*Match, Forfeited) {}

// MatchOver does nothing.
func (Hooks) MatchOver(*Match, MatchOver) {}

// Choose makes a bot of a function that gives the whole turn.
func Choose(choose func(ctx context.Context, turn *Turn) ([]Step, error)) Bot {
	return chooser{choose: choose}
}

type chooser struct {
	Hooks
	choose func(context.Context, *Turn) ([]Step, error)
}

func (c chooser) Turn(ctx context.Context, turn *Turn) ([]Step, error) { return c.choose(ctx, turn) }
