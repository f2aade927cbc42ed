package polynya.client;

import java.nio.ByteBuffer;

/** Bytes as they arrive in, payloads of whole frames out. */
final class FrameBuffer {
    private static final int SMALLEST = 4096;

    private final int maxFrame;
    private ByteBuffer bytes = ByteBuffer.allocate(SMALLEST).flip();

    FrameBuffer(int maxFrame) {
        this.maxFrame = maxFrame;
    }

    /** Append what has arrived. */
    void add(byte[] data, int count) {
        bytes.compact();
        if (bytes.remaining() < count) {
            int needed = bytes.position() + count;
            bytes = ByteBuffer.allocate(Math.max(needed, 2 * bytes.capacity())).put(bytes.flip());
        }
        bytes.put(data, 0, count).flip();
    }

    /**
     * The payload of the next frame, {@code null} while it is not all there.
     *
     * @throws ClientException.BadFrame if the length is 0 or above the bound; nothing can be read
     *     after that
     */
    byte[] take() {
        if (bytes.remaining() < Codec.LENGTH_BYTES) {
            return null;
        }
        long length = Integer.toUnsignedLong(bytes.getInt(bytes.position()));
        Codec.checkLength(length, maxFrame);
        if (bytes.remaining() < Codec.LENGTH_BYTES + length) {
            return null;
        }
        byte[] payload = new byte[(int) length];
        bytes.position(bytes.position() + Codec.LENGTH_BYTES).get(payload);
        return payload;
    }
}
