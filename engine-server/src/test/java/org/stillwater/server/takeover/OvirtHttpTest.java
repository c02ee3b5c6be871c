package org.stillwater.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class OvirtHttpTest {

    private static final URI ENGINE = URI.create("https://engine.example:8443/ovirt-engine/api");

    private static String reason(IOException e) {
        return OvirtHttp.reason(ENGINE, "GET /x", e);
    }

    @Test
    void whatAnOperatorCanMendIsSaidInWords() {
        ConnectException unknown = new ConnectException();
        unknown.initCause(new UnresolvedAddressException());
        assertThat(reason(unknown)).isEqualTo("there is no machine of the name engine.example");
        assertThat(reason(new ConnectException()))
                .isEqualTo("nothing accepts connections at engine.example:8443");
        SSLHandshakeException untrusted = new SSLHandshakeException("PKIX");
        untrusted.initCause(new CertificateException("PKIX path building failed"));
        assertThat(reason(untrusted))
                .contains("is not trusted", "--ca", "PKIX path building failed");
        assertThat(reason(new HttpTimeoutException("slow"))).isEqualTo("GET /x: no answer in time");
        assertThat(reason(new IOException("reset")))
                .isEqualTo("GET /x: java.io.IOException: reset");
    }

    @Test
    void aPortWithoutAnEngineIsNamed() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThatThrownBy(() ->
                        OvirtHttp.login(
                                URI.create("http://127.0.0.1:" + port), "user", "password", null))
                .hasMessageContaining("nothing accepts connections at 127.0.0.1:" + port);
    }
}
