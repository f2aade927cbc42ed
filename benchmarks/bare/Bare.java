import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Answers every so many bytes with so many others, and does nothing else. */
public final class Bare {
    private Bare() {}

    public static void main(String[] words) throws IOException {
        byte[] turn = new byte[Integer.parseInt(words[1])];
        byte[] answer = new byte[Integer.parseInt(words[2])];
        ByteBuffer.wrap(answer).putInt(answer.length - 4);
        InetAddress here = InetAddress.getLoopbackAddress();
        try (Socket socket = new Socket(here, Integer.parseInt(words[0]))) {
            socket.setTcpNoDelay(true);
            DataInputStream input = new DataInputStream(socket.getInputStream());
            while (true) {
                input.readFully(turn);
                socket.getOutputStream().write(answer);
            }
        } catch (EOFException end) {
            return;
        }
    }
}
