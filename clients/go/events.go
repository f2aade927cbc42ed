package polynya

import "time"

// A Step is a verb and its arguments: Step{"move", 12, 40}. In steps that the server sent, integers
// are int64.
type Step = []any

// A Player sits at a seat; Rating is nil for a bot without one.
type Player struct {
	Seat   int
	Name   string
	Rating *float64
}

// A Clock holds the time limits of a match, 0 where there is no such limit.
type Clock struct {
	// Initial is a player's budget for the whole match.
	Initial time.Duration
	// Increment is added to it after each of his turns.
	Increment time.Duration
	// Move caps every single turn.
	Move time.Duration
}

// Legal tells what may follow the first steps of a turn, and whether they are a whole turn.
type Legal struct {
	Steps    []Step
	TurnOver bool
}

// NoBudget stands in Moved.RemainingMS for a seat without a budget.
const NoBudget = -1

// Moved tells of a turn that was played.
type Moved struct {
	// Turn is its number in the match, from 1.
	Turn int
	// Seat is who played it.
	Seat int
	// Steps is the whole turn; empty if it is concealed from us.
	Steps []Step
	// Concealed tells whether the steps are kept from us, in a match with hidden parts.
	Concealed bool
	// ElapsedMS is the time it was charged.
	ElapsedMS int
	// RemainingMS is each seat's budget after it.
	RemainingMS []int
	// Acting holds the seats that are asked next, in matches with joint turns or hidden parts: empty
	// at the end. It is nil elsewhere, and before the last event of a turn.
	Acting []int
	// Seen is what we learnt by the turn beyond the steps that we were told.
	Seen []map[string]any
	// Message is the server's message, with keys that this version does not know.
	Message map[string]any
}

// Forfeited tells that a seat has forfeited: Reason is the protocol's word, Detail a sentence.
type Forfeited struct {
	Seat   int
	Reason string
	Detail string
	// Turn is the number of the turn, in matches with joint turns or hidden parts; 0 elsewhere.
	Turn int
	// Acting and Seen are as in Moved.
	Acting []int
	Seen   []map[string]any
	// Message is the server's message.
	Message map[string]any
}

// MatchOver tells the result of a match.
type MatchOver struct {
	// Reason is finished, forfeit, aborted or annulled.
	Reason string
	// Ranking is the rank of each seat, 1 the best; nil without a result.
	Ranking []int
	// Scores is the score of each seat; nil without a result.
	Scores []int
	// Detail is a sentence where more is to be said.
	Detail string
	// Replay is the id under which the server keeps the replay.
	Replay string
	// Ratings are those that changed.
	Ratings []RatingChange
	// Deal is what the match's chance followed from, in hexadecimal; empty without hidden chance.
	Deal string
	// Message is the server's message.
	Message map[string]any
}

// A RatingChange is what a match did to the rating of a bot; nil is a bot without one.
type RatingChange struct {
	Name          string
	Before, After *float64
}

func readPlayer(f *fields) Player {
	return Player{f.integer("seat"), f.text("name"), f.number("rating")}
}

func readClock(f *fields) Clock {
	return Clock{f.duration("initial_ms"), f.duration("increment_ms"), f.duration("move_ms")}
}

func readMoved(m message) (Moved, error) {
	f := read(m)
	moved := Moved{
		Turn:        f.integer("turn"),
		Seat:        f.integer("seat"),
		Steps:       f.steps("steps"),
		Concealed:   m["steps"] == nil,
		ElapsedMS:   f.integer("elapsed_ms"),
		RemainingMS: f.integers("remaining_ms", NoBudget),
		Acting:      f.integers("acting", 0),
		Seen:        f.maps("seen"),
		Message:     m,
	}
	return moved, f.err
}

func readForfeited(m message) (Forfeited, error) {
	f := read(m)
	forfeited := Forfeited{
		Seat:    f.integer("seat"),
		Reason:  f.text("reason"),
		Detail:  f.text("detail"),
		Turn:    int(optional[int64](f, "turn")),
		Acting:  f.integers("acting", 0),
		Seen:    f.maps("seen"),
		Message: m,
	}
	return forfeited, f.err
}

func readMatchOver(m message) (MatchOver, error) {
	f := read(m)
	over := MatchOver{
		Reason:  f.text("reason"),
		Ranking: f.integers("ranking", 0),
		Scores:  f.integers("scores", 0),
		Detail:  optional[string](f, "detail"),
		Replay:  optional[string](f, "replay"),
		Ratings: objects(f, "ratings", func(f *fields) RatingChange {
			return RatingChange{f.text("name"), f.number("before"), f.number("after")}
		}),
		Deal:    optional[string](f, "deal"),
		Message: m,
	}
	return over, f.err
}

func readLegal(m message) (Legal, error) {
	f := read(m)
	return Legal{f.steps("legal"), required[bool](f, "turn_over")}, f.err
}
