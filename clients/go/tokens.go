package polynya

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var unsafeInPath = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// tokenPath is the file in which a bot's token is kept: the one that POLYNYA_TOKEN_FILE names, or one
// for each server and name in the user's state folder.
func tokenPath(server address, bot string, environment func(string) string) string {
	if given := environment("POLYNYA_TOKEN_FILE"); given != "" {
		return given
	}
	state := environment("XDG_STATE_HOME")
	if state == "" {
		home, _ := os.UserHomeDir()
		state = filepath.Join(home, ".local", "state")
	}
	name := fmt.Sprintf("%s_%d_%s", server.host, server.port, bot)
	return filepath.Join(state, "polynya", "tokens", unsafeInPath.ReplaceAllString(name, "_"))
}

// readToken gives the token in a file, "" if there is none yet.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%w: the token: %w", ErrSettings, err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")), nil
}

// keepToken keeps a token for the next start, whole or not at all; only the owner may read it.
func keepToken(path, token string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unfinished := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(unfinished, []byte(token+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

// newRegistration is a text that is ours alone: with it a bot without a token, whose welcome was lost,
// proves that the name is its own.
func newRegistration() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // which never fails
	return hex.EncodeToString(random[:])
}
