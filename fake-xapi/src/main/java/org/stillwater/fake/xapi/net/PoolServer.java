package org.stillwater.fake.xapi.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.world.Pools;

/**
 * The ports of all hosts of all pools: one address each, the same port everywhere, since {@code
 * HOST_IS_SLAVE} names an address without a port. Thread-safe.
 */
public final class PoolServer implements AutoCloseable {

    private static final Duration VALID = Duration.ofDays(3650);
    private static final DateTimeFormatter WIRE =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

    private final Faults faults = new Faults();
    private final Map<String, HostListener> listeners = new LinkedHashMap<>();
    private final int port;

    private PoolServer(Pools pools, int port, boolean tls)
            throws IOException, GeneralSecurityException {
        Router router = new Router(pools, faults);
        int chosen = port;
        try {
            for (String address : pools.addresses()) {
                SSLContext context = tls ? certificate(pools, address) : null;
                HostListener listener = new HostListener(address, chosen, context, router, faults);
                chosen = listener.port();
                listeners.put(address, listener);
            }
        } catch (IOException | GeneralSecurityException e) {
            close();
            throw e;
        }
        this.port = chosen;
    }

    private static @Nullable SSLContext certificate(Pools pools, String address)
            throws GeneralSecurityException {
        Certificates made = Certificates.selfSigned(address, VALID);
        pools.certificate(
                address,
                made.fingerprint(),
                WIRE.format(made.certificate().getNotAfter().toInstant()));
        return made.context();
    }

    /**
     * Opens all ports.
     *
     * @param port 0 takes one that is free at the first address
     */
    public static PoolServer start(Pools pools, int port, boolean tls)
            throws IOException, GeneralSecurityException {
        return new PoolServer(pools, port, tls);
    }

    /** The port of every host. */
    public int port() {
        return port;
    }

    /** The faults of the network. */
    public Faults faults() {
        return faults;
    }

    /** Closes the connections to a host that are open. */
    public void dropConnections(String address) {
        HostListener listener = listeners.get(address);
        if (listener != null) {
            listener.dropConnections();
        }
    }

    @Override
    public void close() {
        faults.clear();
        for (HostListener each : listeners.values()) {
            try {
                each.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
