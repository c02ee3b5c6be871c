package org.stillwater.ovirt.action;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.GraphicsConsole;
import tools.jackson.databind.json.JsonMapper;

/**
 * Address that a proxy connects to for a console, in the form that oVirt's {@code
 * ovirt-websocket-proxy} reads from a ticket.
 *
 * @param host address of the console
 * @param port its TCP port
 * @param tls whether the proxy encrypts its connection to the host
 */
record ProxyTarget(String host, int port, boolean tls) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * The target of a console; null if the console is not open. SPICE is encrypted if it has a port
     * for TLS, VNC if the host reports that it encrypts VNC, as in oVirt.
     *
     * @param vncEncrypted whether the VM's host encrypts VNC; null if it does not report it
     */
    static @Nullable ProxyTarget of(GraphicsConsole console, @Nullable Boolean vncEncrypted) {
        Integer tlsPort = console.protocol().equals("spice") ? console.tlsPort() : null;
        Integer port = tlsPort == null ? console.port() : tlsPort;
        if (console.address() == null || port == null) {
            return null;
        }
        boolean tls =
                tlsPort != null
                        || (console.protocol().equals("vnc") && Boolean.TRUE.equals(vncEncrypted));
        return new ProxyTarget(console.address(), port, tls);
    }

    /** JSON in which everything but letters and digits is percent-encoded; the port is a text. */
    String data() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("host", host);
        members.put("port", Integer.toString(port));
        members.put("ssl_target", tls);
        // The proxy takes a plus sign for itself, not for a space.
        return URLEncoder.encode(JSON.writeValueAsString(members), StandardCharsets.UTF_8)
                .replace("+", "%20");
    }
}
