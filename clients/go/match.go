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
// as one to a struct whose fields have msgpack tags with the names in the game's rules.
func (m *Match) ReadState(into any) error { return readState(m.payload, into) }

// Resign gives the match up; what the bot answers afterwards is not sent.
func (m *Match) Resign() { m.resign() }

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
