package polynya

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

var (
	// ErrSettings says that the options and the environment do not tell where to connect.
	ErrSettings = errors.New("polynya: settings")
	// ErrConnectionLost says that the connection could not be made, broke, or was silent for three
	// heartbeats.
	ErrConnectionLost = errors.New("polynya: connection lost")
	// ErrGaveUp says that the server was not there, or had no room, for as long as the bot was to try.
	ErrGaveUp = errors.New("polynya: gave up")
	// ErrReplaced says that another process plays as this bot now; one that came back would throw it
	// out in turn.
	ErrReplaced = errors.New("polynya: the server says goodbye (replaced): this bot has connected a second time, and the other one plays on; this one stays away")
	// ErrMessage says that the server sent a message that lacks a key or has another type there.
	ErrMessage = errors.New("polynya: not our protocol")
	// ErrTurnLost says that the turn is not asked for any more, or that a step that LegalAfter asked
	// about is illegal. A bot that returns it sends no move for this turn.
	ErrTurnLost = errors.New("polynya: turn lost")
	// ErrNotWanted says that the bot looks at something that it did not ask the server for.
	ErrNotWanted = errors.New("polynya: not wanted")
	// ErrNoSteps says that the bot gave no steps as its turn, and no error.
	ErrNoSteps = errors.New("polynya: the bot gave no steps as its turn")
)

// A FrameError tells of bytes that are no frame of the protocol, or of a message that would be none.
type FrameError struct {
	// Code is the protocol's word for it, malformed or too_large.
	Code   string
	reason string
}

func (e *FrameError) Error() string { return e.reason }

const remedy = "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?"

// notWelcome is the same error where no welcome came before it: hardly a Polynya server, or one with
// TLS.
func notWelcome(err error) error {
	var frameError *FrameError
	if errors.As(err, &frameError) {
		return fmt.Errorf("what answers there is no Polynya server; %s %w", remedy, err)
	}
	return fmt.Errorf("%w, before any welcome; %s", err, remedy)
}

func malformed(format string, values ...any) error {
	return &FrameError{"malformed", fmt.Sprintf(format, values...)}
}

// A ServerError tells that the server refused something and closed the connection.
type ServerError struct {
	// Code is the protocol's word for it, such as unauthorized.
	Code string
	// Sentence says what to do about it.
	Sentence string
}

func (e *ServerError) Error() string { return e.Code + ": " + e.Sentence }

const longestText = 500

// printable is a peer's text for a terminal: what is not printable becomes \u001b-like notation.
func printable(text string) string {
	var shown strings.Builder
	for at, char := range text {
		switch {
		case at >= longestText:
			return shown.String()
		case unicode.IsPrint(char):
			shown.WriteRune(char)
		default:
			fmt.Fprintf(&shown, `\u%04x`, char)
		}
	}
	return shown.String()
}
