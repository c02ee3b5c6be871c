package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.ovirt.model.GraphicsConsole;
import org.stillwater.ovirt.model.Reference;

class ProxyTargetTest {

    private static GraphicsConsole console(
            String protocol,
            @Nullable String address,
            @Nullable Integer port,
            @Nullable Integer tlsPort) {
        return new GraphicsConsole(
                "id", "/href", null, address, port, protocol, tlsPort, new Reference("vm", "/vm"));
    }

    /** Which port is named, and whether the proxy encrypts, as oVirt decides it. */
    @ParameterizedTest
    @CsvSource({
        "vnc,   5900,     , true , 5900, true",
        "vnc,   5900,     , false, 5900, false",
        "vnc,   5900,     ,      , 5900, false",
        "vnc,   5900, 5901, false, 5900, false",
        "spice, 5902, 5903, false, 5903, true",
        "spice,     , 5903,      , 5903, true",
        "spice, 5902,     , true , 5902, false"
    })
    void theTargetOfAConsole(
            String protocol,
            @Nullable Integer port,
            @Nullable Integer tlsPort,
            @Nullable Boolean vncEncrypted,
            int target,
            boolean tls) {
        assertThat(ProxyTarget.of(console(protocol, "10.9.0.11", port, tlsPort), vncEncrypted))
                .isEqualTo(new ProxyTarget("10.9.0.11", target, tls));
    }

    @Test
    void aConsoleThatIsNotOpenHasNone() {
        assertThat(ProxyTarget.of(console("vnc", null, null, null), true)).isNull();
        assertThat(ProxyTarget.of(console("vnc", "10.9.0.11", null, null), true)).isNull();
    }

    @Test
    void theDataAreEncodedJsonWithThePortAsAText() {
        String data = new ProxyTarget("2001:db8::7", 5900, true).data();
        assertThat(data).matches("[A-Za-z0-9%._*-]+").doesNotContain("+");
        assertThat(URLDecoder.decode(data, StandardCharsets.UTF_8))
                .isEqualTo("{\"host\":\"2001:db8::7\",\"port\":\"5900\",\"ssl_target\":true}");
        assertThat(new ProxyTarget("a b", 1, false).data()).contains("a%20b");
    }
}
