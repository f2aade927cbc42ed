package polynya.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Encryption that verifies the server's certificate, and that it is the host's. */
final class Tls {
    private Tls() {}

    /**
     * A connected socket with TLS around it.
     *
     * @throws IOException if the certificate is not good, or the file of certificates is not
     */
    static Socket wrap(Socket socket, Address server, Path certificates) throws IOException {
        SSLContext context = context(certificates);
        SSLSocket wrapped = (SSLSocket) context.getSocketFactory()
                .createSocket(socket, server.host(), server.port(), true);
        SSLParameters parameters = wrapped.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        wrapped.setSSLParameters(parameters);
        wrapped.startHandshake();
        return wrapped;
    }

    private static SSLContext context(Path certificates) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(certificates == null ? null : store(certificates));
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException error) {
            throw new IOException(error.getMessage(), error);
        }
    }

    private static KeyStore store(Path certificates) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream file = Files.newInputStream(certificates)) {
            int count = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("trusted-" + count++, one);
            }
        }
        return store;
    }
}
