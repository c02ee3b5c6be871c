package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OidcSettingsTest {

    private static final Map<String, String> GIVEN =
            Map.of(
                    "stillwater.security.oidc.issuer", "https://login.example/realm",
                    "stillwater.security.oidc.client-id", "stillwater");

    @Test
    void defaults() {
        OidcSettings settings = Bound.bind(OidcSettings.class, Map.of());
        assertThat(settings)
                .isEqualTo(
                        new OidcSettings(
                                null,
                                null,
                                null,
                                null,
                                "preferred_username",
                                "roles",
                                Map.of(),
                                "oidc",
                                List.of("openid", "profile"),
                                Duration.ofHours(12),
                                Duration.ofSeconds(10)));
        assertThat(settings.enabled()).isFalse();
    }

    @Test
    void everySettingIsRead() {
        Map<String, String> all = new HashMap<>(GIVEN);
        String name = "stillwater.security.oidc.";
        all.put(name + "client-secret", "not for logs");
        all.put(name + "audience", "engine");
        all.put(name + "name-claim", "email");
        all.put(name + "roles-claim", "realm_access.roles");
        all.put(name + "roles.vm-admins", "administrator");
        all.put(name + "profile", "example");
        all.put(name + "scopes", "openid,email");
        all.put(name + "session-longest", "1h");
        all.put(name + "timeout", "2s");
        OidcSettings settings = Bound.bind(OidcSettings.class, all);
        assertThat(settings)
                .isEqualTo(
                        new OidcSettings(
                                "https://login.example/realm",
                                "stillwater",
                                "not for logs",
                                "engine",
                                "email",
                                "realm_access.roles",
                                Map.of("vm-admins", "administrator"),
                                "example",
                                List.of("openid", "email"),
                                Duration.ofHours(1),
                                Duration.ofSeconds(2)));
        assertThat(settings.enabled()).isTrue();
        assertThat(settings.toString()).doesNotContain("not for logs");
    }

    @Test
    void unreasonableValuesAreRefusedByName() {
        assertThat(refusal("issuer", "login.example"))
                .contains("stillwater.security.oidc.issuer must be an address, not login.example");
        assertThat(refusal("client-id", " ")).contains("stillwater.security.oidc.client-id");
        assertThat(refusal("roles.vm-admins", "root"))
                .contains("stillwater.security.oidc.roles.vm-admins", "not root");
        assertThat(refusal("profile", "internal")).contains("stillwater.security.oidc.profile");
        assertThat(refusal("profile", "a@b")).contains("stillwater.security.oidc.profile");
        assertThat(refusal("scopes", "profile")).contains("with openid in it");
        assertThat(refusal("session-longest", "1s")).contains("must be 1m to 720h, not 1s");
        assertThat(refusal("timeout", "2m")).contains("must be 100ms to 1m, not 2m");
    }

    private static String refusal(String name, String value) {
        Map<String, String> all = new HashMap<>(GIVEN);
        all.put("stillwater.security.oidc." + name, value);
        return Bound.refusal(OidcSettings.class, all);
    }
}
