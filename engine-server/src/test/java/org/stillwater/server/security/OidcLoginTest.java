package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.OidcSettings;
import org.stillwater.server.settings.SecuritySettings;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryUserStore;

class OidcLoginTest {

    @TempDir private Path folder;

    private final VirtualClock clock = new VirtualClock();
    private final List<String> told = new ArrayList<>();
    private final SecurityAudit audit =
            new SecurityAudit((event, details) -> told.add(event + " " + details.get("address")));

    private static <T> T bound(String prefix, Class<T> type, Map<String, String> values) {
        return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate(prefix, type);
    }

    private OidcLogin login() throws StoreUnavailable {
        SecuritySettings security =
                bound(
                        "stillwater.security",
                        SecuritySettings.class,
                        Map.of("stillwater.security.initial-password", "first of all"));
        Accounts accounts =
                new Accounts(
                        new InMemoryUserStore(),
                        security,
                        new Passwords(),
                        new FirstPasswordFile(security, new FleetSettings(folder, List.of(), null)),
                        clock);
        OidcSettings settings =
                bound(
                        "stillwater.security.oidc",
                        OidcSettings.class,
                        Map.of(
                                "stillwater.security.oidc.issuer", "https://login.example",
                                "stillwater.security.oidc.client-id", "stillwater"));
        return new OidcLogin(
                settings,
                new ForeignTokens(settings, clock),
                new Sessions(accounts, audit, security, clock),
                audit,
                new PendingLogins(clock),
                clock);
    }

    private static void refuse(OidcLogin login, String address) throws IOException {
        MockHttpServletRequest request =
                new MockHttpServletRequest("GET", "/login/oauth2/code/oidc");
        request.setRemoteAddr(address);
        MockHttpServletResponse response = new MockHttpServletResponse();
        login.refuse(
                request,
                response,
                new OAuth2AuthenticationException("authorization_request_not_found"));
        assertThat(response.getRedirectedUrl()).isEqualTo("/login?error=refused");
    }

    /** A login by a provider can fail without any credentials. */
    @Test
    void aNetworkIsAuditedOnceInAQuietTime() throws Exception {
        OidcLogin login = login();
        for (int i = 1; i < 100; i++) {
            refuse(login, "192.0.2.1");
            refuse(login, "2001:db8::" + i);
        }
        String failed = AuditEvent.USER_VDC_LOGIN_FAILED + " ";
        assertThat(told).containsExactly(failed + "192.0.2.1", failed + "2001:db8::1");
        clock.advance(Duration.ofMinutes(1));
        refuse(login, "192.0.2.1");
        assertThat(told).hasSize(3);
    }
}
