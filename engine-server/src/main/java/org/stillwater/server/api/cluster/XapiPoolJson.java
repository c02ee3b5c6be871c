package org.stillwater.server.api.cluster;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.xapi.PoolRefused;
import org.stillwater.server.xapi.PoolTest;
import org.stillwater.server.xapi.PoolView;
import org.stillwater.server.xapi.XapiPools;
import org.stillwater.xapi.client.PoolProbe;

/** XAPI pools and their tests, as answers show them. Stateless. */
final class XapiPoolJson {

    private XapiPoolJson() {}

    /**
     * A pool as answers show it.
     *
     * @param id identity of the pool and of its cluster; null before its first answer
     * @param source {@code settings} or {@code api}
     * @param user login name, for administrators
     * @param trust authorities in PEM, null without
     * @param certificates how the certificates of its hosts are checked
     * @param state how it stands
     * @param trouble why it is not watched, or not reached
     * @param encoding the encoding in use
     */
    record XapiPool(
            @Nullable String id,
            String name,
            String source,
            List<String> addresses,
            int port,
            @Nullable String user,
            @Nullable String trust,
            String certificates,
            List<String> encodings,
            String state,
            @Nullable String trouble,
            @Nullable String coordinator,
            @Nullable String encoding,
            int hosts,
            int vms) {}

    /** A list with its size. */
    record XapiPoolList(List<XapiPool> items, int total) {}

    /**
     * Result of a test.
     *
     * @param ready whether the pool can be added so
     * @param reason a word for programs, null if it can
     * @param why the same in words
     * @param pool the pool, null if it was not reached
     * @param certificates the certificates that its hosts showed
     */
    record XapiPoolTest(
            boolean ready,
            @Nullable String reason,
            @Nullable String why,
            @Nullable FoundPool pool,
            List<ShownCertificate> certificates) {

        static XapiPoolTest of(PoolTest test) {
            PoolRefused refusal = test.refusal();
            PoolProbe.Found found = test.found();
            return new XapiPoolTest(
                    refusal == null,
                    refusal == null ? null : Json.word(refusal.reason()),
                    refusal == null ? null : refusal.getMessage(),
                    found == null ? null : FoundPool.of(found),
                    test.certificates().stream().map(ShownCertificate::of).toList());
        }
    }

    /**
     * The pool that answered.
     *
     * @param name its name in XAPI
     * @param version version of the product of its coordinator
     */
    record FoundPool(
            String id,
            String name,
            String version,
            String coordinator,
            String encoding,
            int hosts) {

        static FoundPool of(PoolProbe.Found found) {
            return new FoundPool(
                    found.uuid(),
                    found.name(),
                    found.version(),
                    found.coordinator(),
                    word(found.encoding().name()),
                    found.hosts());
        }
    }

    /**
     * A certificate that a host showed.
     *
     * @param confirmed whether it was confirmed, or signed by a given authority
     */
    record ShownCertificate(
            String address,
            String fingerprint,
            String subject,
            String issuer,
            String notBefore,
            String notAfter,
            boolean confirmed) {

        static ShownCertificate of(PoolTest.ShownCertificate shown) {
            return new ShownCertificate(
                    shown.address(),
                    shown.fingerprint().toString(),
                    shown.subject(),
                    shown.issuer(),
                    shown.notBefore().toString(),
                    shown.notAfter().toString(),
                    shown.confirmed());
        }
    }

    private static String word(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A pool as this caller may see it. */
    static XapiPool shown(PoolView pool, Caller caller) {
        XapiPools.Condition condition = pool.condition();
        String trouble =
                pool.trouble() == null && condition != null ? condition.trouble() : pool.trouble();
        String state;
        if (pool.removing()) {
            state = "removing";
        } else if (condition == null) {
            state = "not_watched";
        } else {
            state = trouble == null ? "watched" : "failing";
        }
        String encoding = condition == null ? null : condition.encoding();
        String certificates = pool.byAuthorities() ? "authorities" : "pinned";
        return new XapiPool(
                pool.id() == null ? null : pool.id().toString(),
                pool.name(),
                pool.ofSettings() ? "settings" : "api",
                pool.addresses(),
                pool.port(),
                caller.has(Role.ADMINISTRATOR) ? pool.user() : null,
                pool.trust(),
                pool.encrypted() ? certificates : "none",
                pool.encodings(),
                state,
                trouble,
                condition == null ? null : condition.coordinator(),
                encoding == null ? null : word(encoding),
                condition == null ? 0 : condition.hosts(),
                condition == null ? 0 : condition.vms());
    }
}
