package polynya

import (
	"context"
	"time"
)

const (
	// TurnsLeft is how many more turns a match may have, for ThinkUntil, if nothing better is known.
	TurnsLeft = 20
	// Margin is what ThinkUntil keeps for the network and for other programs on the same processor,
	// if nothing better is known.
	Margin = 60 * time.Millisecond
)

// A Turn is what a bot has to decide on, and until when. The context that comes with it ends with
// its time, or when nobody waits for the answer any more.
type Turn struct {
	// Match is the match it belongs to.
	Match *Match
	// Number is the turn's number in the match, from 1.
	Number int
	// Time is the time it had when it arrived.
	Time time.Duration
	// Deadline is when that time is over.
	Deadline time.Time
	// Legal holds the legal first steps, sorted; empty unless the bot wants "legal".
	Legal []Step
	// Info holds remarks to send with the move (score, depth, text and so on), kept in the replay;
	// at most 1 KiB.
	Info map[string]any
	// Message is the server's message, with keys that this version does not know.
	Message map[string]any

	payload []byte
	ask     func(context.Context, *Turn, []Step) (Legal, error)
}

func newTurn(match *Match, received received) (*Turn, error) {
	f := read(received.message)
	time := f.duration("remaining_ms")
	turn := &Turn{
		Match:    match,
		Number:   f.integer("turn"),
		Time:     time,
		Deadline: received.arrived.Add(time),
		Legal:    f.steps("legal"),
		Info:     map[string]any{},
		Message:  received.message,
		payload:  received.payload,
	}
	required[int64](f, "remaining_ms")
	return turn, f.err
}

// ReadState decodes the position into a pointer, such as one to a struct whose fields have msgpack
// tags with the names in the game's rules; with Match.IsView what we may know of it. It gives ErrNotWanted unless the bot wants "state".
func (t *Turn) ReadState(into any) error { return readState(t.payload, into) }

// LegalAfter asks the server which steps may follow these, while our clock runs. It gives
// ErrTurnLost if a step is illegal, or if the turn is not asked for any more.
func (t *Turn) LegalAfter(ctx context.Context, steps []Step) (Legal, error) {
	return t.ask(ctx, t, steps)
}

// TimeLeft tells the time that is left now without a margin; it is never negative.
func (t *Turn) TimeLeft(margin time.Duration) time.Duration {
	return max(time.Until(t.Deadline)-margin, 0)
}

// ThinkUntil tells when to stop thinking: after four fifths of the turn's time, which with a budget
// for the match is the part of it for one of turnsLeft turns, and the increment; earlier where less
// than the margin would be left, as long as three tenths of the time remain to think.
func (t *Turn) ThinkUntil(turnsLeft int, margin time.Duration) time.Time {
	allotted := t.Time
	if clock := t.Match.Clock; clock.Initial > 0 {
		allotted = min(allotted, t.Time/time.Duration(turnsLeft)+clock.Increment)
	}
	thinking := max(allotted*3/10, min(allotted*8/10, t.Time-margin))
	return t.Deadline.Add(thinking - t.Time)
}
