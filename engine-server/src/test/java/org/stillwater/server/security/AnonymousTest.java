package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.env.MockEnvironment;
import org.stillwater.core.access.Role;
import org.stillwater.server.settings.SecuritySettings;

class AnonymousTest {

    private static Anonymous anonymous(String role, String address, String anyAddress) {
        SecuritySettings settings =
                new Binder(
                                new MapConfigurationPropertySource(
                                        Map.of(
                                                "stillwater.security.anonymous-role",
                                                role,
                                                "stillwater.security.anonymous-on-any-address",
                                                anyAddress)))
                        .bindOrCreate("stillwater.security", SecuritySettings.class);
        MockEnvironment environment = new MockEnvironment();
        if (!address.isEmpty()) {
            environment.setProperty("server.address", address);
        }
        return new Anonymous(settings, environment);
    }

    @Test
    void anonymousRequestsNeedASetting() {
        assertThat(anonymous("none", "0.0.0.0", "false").authentication()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "::1", "127.0.0.7"})
    void thisMachinesUsersMayHaveARole(String address) {
        CallerAuthentication known =
                Objects.requireNonNull(anonymous("reader", address, "false").authentication());
        assertThat(known.caller().has(Role.READER)).isTrue();
        assertThat(known.caller().has(Role.OPERATOR)).isFalse();
        assertThat(known.standing().now()).isEqualTo(known.caller());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0.0.0.0", "::", "192.0.2.1"})
    void othersMayNotUnlessItIsMeant(String address) {
        assertThatThrownBy(() -> anonymous("reader", address, "false"))
                .isInstanceOf(SecurityRefused.class)
                .hasMessageContaining("would have the role reader")
                .hasMessageContaining(address.isEmpty() ? "0.0.0.0" : address);
        assertThat(anonymous("reader", address, "true").authentication()).isNotNull();
    }
}
