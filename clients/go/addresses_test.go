package polynya

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"testing"
)

type addressList struct {
	Text      string   `json:"text"`
	Port      int      `json:"port"`
	Addresses [][2]any `json:"addresses"`
}

func TestListsOfServersAreReadAsInEveryLanguage(t *testing.T) {
	text, err := os.ReadFile("testdata/addresses.json")
	must(t, err)
	var lists struct{ Read, Refused []addressList }
	must(t, json.Unmarshal(text, &lists))
	for _, list := range lists.Read {
		var expected []address
		for _, one := range list.Addresses {
			expected = append(expected, address{one[0].(string), int(one[1].(float64))})
		}
		read, err := readAddresses(list.Text, list.Port)
		must(t, err)
		equal(t, expected, read)
	}
	for _, list := range lists.Refused {
		_, err := readAddresses(list.Text, list.Port)
		if !errors.Is(err, ErrSettings) {
			t.Errorf("%q is read", list.Text)
		}
	}
}

func TestServerThatIsNotThereOrWantsNobodyIsFollowedByTheNext(t *testing.T) {
	captureWarnings(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	second, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { second.Close() })
	first := closed.Addr().String()
	must(t, closed.Close())
	bot := Choose(func(context.Context, *Turn) ([]Step, error) { return []Step{step}, nil })
	server := serve(t, bot, Options{Token: "secret", Host: first + ", 127.0.0.1, " + second.Addr().String()})
	peer := server.accept()
	peer.welcome(nil)
	peer.send(words{"type": "goodbye", "reason": "shutting_down"})

	server.listener = second
	peer = server.accept()
	equal(t, any("secret"), peer.welcome(nil)["token"])
	peer.send(words{"type": "goodbye", "reason": "finished"})
	must(t, server.result())
}
