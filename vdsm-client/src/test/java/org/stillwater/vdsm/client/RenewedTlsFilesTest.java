package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose context lives as long as it does takes changed files, by real handshakes. */
@Timeout(60)
class RenewedTlsFilesTest {

    private static Pki old;
    private static Pki renewed;
    private static Pki.Identity server;
    private static Pki.Identity client;

    private final Map<String, String> refused = new ConcurrentHashMap<>();

    @TempDir Path folder;
    private TlsSettings.KeyMaterial.Pem files;
    private RenewedTlsFiles tls;

    @BeforeAll
    static void makeAuthorities() throws Exception {
        old = new Pki("old authority");
        renewed = new Pki("new authority");
        server = old.issue("127.0.0.1");
        client = old.issue("client.example.test");
    }

    @BeforeEach
    void read() throws Exception {
        files = old.writePem(folder, server, false);
        tls =
                new RenewedTlsFiles(
                        files,
                        (subject, refusal) -> {
                            if (refusal == null) {
                                refused.remove(subject);
                            } else {
                                refused.put(subject, refusal);
                            }
                        });
    }

    private SSLContext context() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                new KeyManager[] {tls.keyManager()}, new TrustManager[] {tls.trustManager()}, null);
        return context;
    }

    /** An engine as client, with files of its own. */
    private Engine connect(ScriptedHost to, Pki.Identity identity, List<Pki> trusted)
            throws Exception {
        TlsSettings.KeyMaterial.Pem own =
                old.writePem(Files.createTempDirectory(folder, "client"), identity, false);
        Pki.writeAuthorities(own.authorities(), trusted);
        return Engine.connectedTo(to, VdsmClientSettings.defaults(new TlsSettings.Mutual(own)));
    }

    @Test
    void aServersAuthorityIsReplacedWithAnOverlap() throws Exception {
        Pki.Identity newClient = renewed.issue("client.example.test");
        try (ScriptedHost host = new ScriptedHost(context());
                Engine standing = connect(host, client, List.of(old))) {
            ScriptedHost.Peer first = host.session();
            standing.expect("connected");

            Pki.writeAuthorities(files.authorities(), List.of(old, renewed));
            assertThat(tls.reread()).contains("CN=old authority until", "CN=new authority until");
            try (Engine both = connect(host, newClient, List.of(old))) {
                host.session();
                both.expect("connected");
            }

            Pki.writeAuthorities(files.authorities(), List.of(renewed));
            try (Engine late = connect(host, client, List.of(old))) {
                ScriptedHost.Peer peer = host.connection();
                assertThatThrownBy(peer::nextFrame).isInstanceOf(IOException.class);
                late.expect("disconnected: ");
                assertThat(refused)
                        .hasEntrySatisfying(
                                "CN=client.example.test,O=test",
                                why ->
                                        assertThat(why)
                                                .contains(
                                                        "not signed by the configured authority"
                                                                + " CN=new authority, but by"
                                                                + " CN=old authority"));
            }
            standing.connection.hardware(standing.receiver());
            first.request().answer("{}");
            standing.success();
            assertThat(tls.refusal(((SSLSocket) first.socket).getSession()))
                    .as("a session of before, resumed")
                    .contains("CN=new authority");
        }
    }

    @Test
    void aServersOwnCertificateIsReplaced() throws Exception {
        Pki.Identity newServer = renewed.issue("127.0.0.1");
        try (ScriptedHost host = new ScriptedHost(context())) {
            renewed.writePem(folder, newServer, false);
            Pki.writeAuthorities(files.authorities(), List.of(old));
            try (Engine engine = connect(host, client, List.of(renewed))) {
                host.session();
                engine.expect("connected");
            }
        }
    }

    @Test
    void filesThatDoNotBelongTogetherLeaveThoseOfBeforeInUse() throws Exception {
        Pki.Identity newServer = old.issue("127.0.0.1");
        byte[] key = Files.readAllBytes(files.key());
        old.writePem(folder, newServer, false);
        byte[] newKey = Files.readAllBytes(files.key());
        Files.write(files.key(), key);
        assertThatThrownBy(tls::reread)
                .hasMessage("TLS files: the key is not that of the certificate");
        assertThat(tls.trouble()).isEqualTo("the key is not that of the certificate");
        try (ScriptedHost host = new ScriptedHost(context());
                Engine engine = connect(host, client, List.of(old))) {
            host.session();
            engine.expect("connected");
        }
        Files.write(files.key(), newKey);
        assertThat(tls.reread()).contains("own certificate CN=127.0.0.1");
        assertThat(tls.trouble()).isNull();
    }

    @Test
    void missingFilesAreNamed() throws Exception {
        Files.delete(files.authorities());
        assertThatThrownBy(() -> new RenewedTlsFiles(files, (_, _) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no file " + files.authorities());
    }
}
