package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.world.PoolSettings.Era;

/** Pools that are tested before they are watched, and other ways to a watched one. */
class PoolProbeTest {

    /** Accepts every certificate, or none, and keeps none. */
    private record Judge(boolean accepting, List<String> shown) implements CertificatePins {

        @Override
        public boolean accepts(String address, X509Certificate certificate) {
            shown.add(address);
            return accepting;
        }

        @Override
        public @Nullable String pinned(String address) {
            return null;
        }

        @Override
        public void pin(String address, String sha256) {
            assertThat(accepting).isTrue();
        }

        @Override
        public void refused(String address, String sha256) {
            throw new AssertionError(address);
        }

        @Override
        public void seen(String address, Instant notAfter) {
            assertThat(accepting).isTrue();
        }
    }

    @Test
    @DisplayName("a test reads the pool's identity and logs out")
    void identity() throws Exception {
        try (Lab lab = new Lab("127.10.41", Era.TODAY, 3, 6, true)) {
            Judge judge = new Judge(true, new ArrayList<>());
            PoolProbe.Found found =
                    PoolProbe.test(lab.access(lab.addresses.get(1)), judge, Lab.CLOCK);
            assertThat(found.uuid()).isEqualTo(lab.pool.itself().text("uuid"));
            assertThat(found.name()).isEqualTo(lab.pool.itself().text("name_label"));
            assertThat(found.coordinator()).isEqualTo(lab.addresses.getFirst());
            assertThat(found.encoding()).isEqualTo(XapiEncoding.JSON_RPC);
            assertThat(found.version()).isNotEmpty();
            assertThat(found.hosts()).isEqualTo(3);
            assertThat(judge.shown()).contains(lab.addresses.get(0), lab.addresses.get(1));
            assertThat(lab.sessions()).isZero();
        }
    }

    @Test
    @DisplayName("a host with a certificate that is not accepted gets no password")
    void unconfirmed() throws Exception {
        try (Lab lab = new Lab("127.10.42", Era.TODAY, 2, 4, true)) {
            Judge judge = new Judge(false, new ArrayList<>());
            PoolAccess access =
                    PoolAccess.of(
                            List.of(lab.addresses.getFirst()),
                            lab.server.port(),
                            "root",
                            () -> "stillwater",
                            "engine-1");
            assertThatThrownBy(() -> PoolProbe.test(access, judge, Lab.CLOCK))
                    .isInstanceOf(XapiException.Untrusted.class)
                    .hasMessageContaining("is not confirmed");
            assertThat(judge.shown()).containsOnly(lab.addresses.getFirst());
            assertThat(lab.sessions()).isZero();
        }
    }

    @Test
    @DisplayName("a member whose coordinator does not serve names it")
    void noCoordinator() throws Exception {
        try (Lab lab = Lab.today("127.10.43")) {
            lab.server
                    .faults()
                    .add(FaultKind.ERROR, "", "session.login", "HOST_IS_SLAVE 127.10.43.99", 1);
            assertThatThrownBy(() ->
                            PoolProbe.test(
                                    lab.access(lab.addresses.getFirst()), lab.pins, Lab.CLOCK))
                    .isInstanceOf(XapiException.NoCoordinator.class)
                    .hasMessageContaining(lab.addresses.getFirst())
                    .hasMessageContaining("127.10.43.99");
        }
    }

    @Test
    @DisplayName("a connection that gets other credentials logs out, and in anew without a pause")
    void otherCredentials() throws Exception {
        try (Lab lab = Lab.today("127.10.44")) {
            PoolConnection connection = lab.connect();
            assertThat(connection.allRecords(XapiClass.of("host"))).hasSize(3);
            connection.use(access(lab, "reader", "wrong"));
            assertThat(lab.sessions()).isZero();
            assertThatThrownBy(() -> connection.allRecords(XapiClass.of("host")))
                    .hasMessageContaining("SESSION_AUTHENTICATION_FAILED");
            connection.use(access(lab, "reader", "reader"));
            assertThat(connection.allRecords(XapiClass.of("host"))).hasSize(3);
            assertThat(lab.pool.objects("session"))
                    .extracting(each -> each.text("auth_user_name"))
                    .containsExactly("reader");
        }
    }

    @Test
    @DisplayName("a watched pool that gets other credentials keeps no session of the former ones")
    void otherCredentialsWhileWatched() throws Exception {
        try (Lab lab = Lab.today("127.10.45")) {
            for (int i = 0; i < 5; i++) {
                PoolConnection connection = lab.connect();
                try (PoolWatch watch = lab.watch(connection, new Silent())) {
                    connection.allRecords(XapiClass.of("host"));
                    connection.use(access(lab, "reader", "reader"));
                    connection.allRecords(XapiClass.of("host"));
                    assertThat(watch).isNotNull();
                    assertThat(lab.pool.objects("session"))
                            .extracting(each -> each.text("auth_user_name"))
                            .containsExactly("reader");
                }
                connection.close();
                assertThat(lab.sessions()).isZero();
            }
        }
    }

    /** Wants nothing. */
    private static final class Silent implements PoolListener {

        @Override
        public void synced(Map<XapiClass, Map<String, XapiRecord>> all) {}

        @Override
        public void changed(List<Change> changes) {}

        @Override
        public void message(XapiRecord message) {}

        @Override
        public void lost(Exception reason) {}
    }

    private static PoolAccess access(Lab lab, String user, String password) {
        return PoolAccess.of(
                        List.of(lab.addresses.getFirst()),
                        lab.server.port(),
                        user,
                        () -> password,
                        "engine-1")
                .plain();
    }
}
