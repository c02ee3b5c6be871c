package org.stillwater.xapi.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The addresses, credentials and time limits of a pool.
 *
 * @param addresses of its hosts, one at least; others are learnt from the pool
 * @param port of every host
 * @param tls whether connections are encrypted
 * @param authorities that sign the hosts' certificates; {@code null}: certificates are pinned
 * @param user its name
 * @param password requested at each login and not kept
 * @param originator names this engine among the clients of the pool; unique, since sessions are
 *     limited per originator
 * @param encodings to try, the best first
 * @param poolUuid the pool that must answer; {@code null}: in the order of their answers
 * @param connectTimeout for one connection
 * @param callTimeout until a reply begins; generous, since pools may delay callers
 * @param authenticationPause after a refused password before it is tried again
 */
public record PoolAccess(
        List<String> addresses,
        int port,
        boolean tls,
        @Nullable PoolAuthorities authorities,
        String user,
        Supplier<String> password,
        String originator,
        List<XapiEncoding> encodings,
        @Nullable String poolUuid,
        Duration connectTimeout,
        Duration callTimeout,
        Duration authenticationPause) {

    public PoolAccess {
        addresses = List.copyOf(addresses);
        encodings = List.copyOf(encodings);
        if (addresses.isEmpty() || encodings.isEmpty()) {
            throw new IllegalArgumentException("a pool needs an address and an encoding");
        }
        if (originator.isBlank()) {
            throw new IllegalArgumentException("a pool's clients need an originator");
        }
    }

    /** With TLS, pinned certificates, all encodings and usual times. */
    public static PoolAccess of(
            List<String> addresses,
            int port,
            String user,
            Supplier<String> password,
            String originator) {
        return new PoolAccess(
                addresses,
                port,
                true,
                null,
                user,
                password,
                originator,
                List.of(XapiEncoding.values()),
                null,
                Duration.ofSeconds(3),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5));
    }

    /** The same without TLS. */
    public PoolAccess plain() {
        return new PoolAccess(
                addresses,
                port,
                false,
                null,
                user,
                password,
                originator,
                encodings,
                poolUuid,
                connectTimeout,
                callTimeout,
                authenticationPause);
    }

    /** The same with other encodings. */
    public PoolAccess with(XapiEncoding... others) {
        return new PoolAccess(
                addresses,
                port,
                tls,
                authorities,
                user,
                password,
                originator,
                List.of(others),
                poolUuid,
                connectTimeout,
                callTimeout,
                authenticationPause);
    }

    @Override
    public String toString() {
        return "PoolAccess[" + addresses + ":" + port + ", " + user + "]";
    }
}
