package polynya.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import polynya.client.ClientException.BadSettings;

/** Where a bot's token is kept from one start to the next: a file that only its owner may read. */
final class Tokens {
    private Tokens() {}

    /** The file that POLYNYA_TOKEN_FILE names, or one for a server and name in the state folder. */
    static Path path(Address server, String name, Map<String, String> environment) {
        String given = environment.getOrDefault("POLYNYA_TOKEN_FILE", "");
        if (!given.isEmpty()) {
            return Path.of(given);
        }
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        Path folder = state.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state")
                : Path.of(state);
        String file = (server.host() + "_" + server.port() + "_" + name)
                .replaceAll("[^A-Za-z0-9._-]", "_");
        return folder.resolve("polynya").resolve("tokens").resolve(file);
    }

    /**
     * The token in a file, {@code null} if there is none yet.
     *
     * @throws BadSettings if there is a file that cannot be read
     */
    static String read(Path path) {
        try {
            String token = Files.readString(path).replace("\uFEFF", "").strip();
            return token.isEmpty() ? null : token;
        } catch (NoSuchFileException error) {
            return null;
        } catch (IOException error) {
            throw new BadSettings("the token in " + path + " cannot be read: " + error.getMessage());
        }
    }

    /** Keep a token, whole or not at all. */
    static void keep(Path path, String token) throws IOException {
        Path file = path.toAbsolutePath();
        Files.createDirectories(file.getParent(), onlyOwner(file.getRoot(), "rwx------"));
        Path unfinished = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
        Files.deleteIfExists(unfinished);
        Files.createFile(unfinished, onlyOwner(file.getRoot(), "rw-------"));
        Files.writeString(unfinished, token + "\n");
        Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static FileAttribute<?>[] onlyOwner(Path place, String permissions) {
        boolean isPosix = place.getFileSystem().supportedFileAttributeViews().contains("posix");
        return isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
