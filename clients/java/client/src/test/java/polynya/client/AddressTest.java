package polynya.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import polynya.client.ClientException.BadSettings;
import polynya.client.ScriptedServer.Peer;

/** Several servers of one contest: how the list is read, and which of them is tried next. */
class AddressTest {
    private static JsonNode lists(String kind) throws IOException {
        return new ObjectMapper().readTree(Path.of("../../addresses.json").toFile()).get(kind);
    }

    private static Integer port(JsonNode list) {
        return list.get("port").isNull() ? null : list.get("port").intValue();
    }

    @Test
    void listsAreReadAsInEveryLanguage() throws IOException {
        for (JsonNode list : lists("read")) {
            List<Address> expected = new ArrayList<>();
            for (JsonNode one : list.get("addresses")) {
                expected.add(new Address(one.get(0).asText(), one.get(1).intValue()));
            }
            assertEquals(expected, Address.list(list.get("text").asText(), port(list)));
        }
    }

    @Test
    void whatIsNoListIsRefused() throws IOException {
        for (JsonNode list : lists("refused")) {
            String text = list.get("text").asText();
            assertThrows(BadSettings.class, () -> Address.list(text, port(list)), text);
        }
    }

    @Test
    void serverThatIsNotThereOrWantsNobodyIsFollowedByTheNext() throws IOException {
        ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        closed.close();
        try (ScriptedServer first = new ScriptedServer();
                ScriptedServer second = new ScriptedServer()) {
            String list = "127.0.0.1:" + closed.getLocalPort() + ", 127.0.0.1:" + first.port()
                    + ",127.0.0.1";
            second.run(turn -> List.of(), Settings.named("ada").token("secret").host(list));
            Peer peer = first.accept();
            peer.welcome();
            peer.send("goodbye", "reason", "shutting_down");
            peer = second.accept();
            Map<String, Object> hello = peer.welcome();
            peer.sayGoodbye();
            assertEquals("secret", hello.get("token"));
        }
    }
}
