package polynya

import (
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
)

// A Match is what is known of a match that this bot plays. Its fields are not to be changed, except
// for Memory.
type Match struct {
	// ID is the server's name for it.
	ID string
	// Game is packeis, arktia, icecult or another game that the server has.
	Game string
	// Seat is ours.
	Seat int
	// Players are all players, by seat.
	Players []Player
	// Options are the game's set-up options.
	Options map[string]any
	// Clock holds the time limits.
	Clock Clock
	// IsView tells whether parts of the match are hidden from us: its states are then no positions,
	// but what we may know of them.
	IsView bool
	// IsJoint tells whether several seats can be asked at the same time.
	IsJoint bool
	// Acting holds the seats that are asked now, ascending, in matches with joint turns or hidden
	// parts; nil elsewhere. The events of the match change it.
	Acting []int
	// Resumed tells whether it was taken up again after a lost connection or a new start.
	Resumed bool
	// Memory is for whatever a bot wants to remember until the match is over.
	Memory any
	// Message is the server's message, with keys that this version does not know.
	Message map[string]any

	payload []byte
	resign  func()
}

func newMatch(m message, payload []byte) (*Match, error) {
	f := read(m)
	clock := read(f.object("clock"))
	match := &Match{
		ID:      f.text("match"),
		Game:    f.text("game"),
		Seat:    f.integer("seat"),
		Players: objects(f, "players", readPlayer),
		Options: f.object("options"),
		Clock:   readClock(clock),
		IsView:  optional[bool](f, "view"),
		IsJoint: optional[bool](f, "joint"),
		Acting:  f.integers("acting", 0),
		Resumed: m.kind() == "match_resume",
		Message: m,
		payload: payload,
	}
	f.object("state")
	if f.err == nil {
		f.err = clock.err
	}
	return match, f.err
}

// ReadState decodes the position when the match began (or was taken up again) into a pointer, such
// as one to a struct whose fields have msgpack tags with the names in the game's rules. With IsView
// it is no position, but what we may know of one.
func (m *Match) ReadState(into any) error { return readState(m.payload, into) }

// Resign gives the match up; what the bot answers afterwards is not sent.
func (m *Match) Resign() { m.resign() }

// follow takes the seats that an event says are asked next, if it does.
func (m *Match) follow(acting []int) {
	if acting != nil {
		m.Acting = acting
	}
}

func readState(payload []byte, into any) error {
	var with struct {
		State msgpack.RawMessage `msgpack:"state"`
	}
	if err := msgpack.Unmarshal(payload, &with); err != nil {
		return err
	}
	if with.State == nil {
		return fmt.Errorf(`%w: this turn has no state, ask for it with Wants: []string{"state"}`, ErrNotWanted)
	}
	return msgpack.Unmarshal(with.State, into)
}
