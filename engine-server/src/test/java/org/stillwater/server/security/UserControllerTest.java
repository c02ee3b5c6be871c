package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.access.User;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class UserControllerTest {

    private static final User ADA =
            new User(
                    new UUID(1, 2),
                    "ada@internal",
                    null,
                    true,
                    Set.of(),
                    Instant.parse("2026-11-21T12:00:00.123456Z"));

    private final Accounts accounts = mock(Accounts.class);
    private final UserController controller =
            new UserController(
                    accounts,
                    new Passwords(),
                    mock(Sessions.class),
                    mock(SecurityAudit.class),
                    new Callers(),
                    new VirtualClock());

    @BeforeEach
    void begin() throws Exception {
        when(accounts.users()).thenReturn(List.of(ADA));
        when(accounts.change(any(), any())).thenReturn(Accounts.Change.DONE);
    }

    private static JsonNode body(String text) {
        return JsonMapper.shared().readTree(text.replace('\'', '"'));
    }

    @Test
    void anAnswerMayBeSentBack() {
        String all = JsonMapper.shared().writeValueAsString(AccountJson.UserView.of(ADA));
        assertThat(controller.change("ada@internal", body(all)).id()).isEqualTo(ADA.id());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-21T12:00:00.123456Z",
                "2026-11-21T12:00:00.123Z",
                "2026-11-21T13:00:00.123456+01:00"
            })
    void theTimeOfTheAdditionMayBeSentBackInMilliseconds(String time) {
        String body = "{'createdAt':'" + time + "','enabled':false}";
        assertThat(controller.change("ada@internal", body(body)).name()).isEqualTo("ada@internal");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'id':'00000000-0000-0001-0000-000000000003'} | id is that of another user",
                "{'id':'ada'} | id is that of another user",
                "{'hasPassword':true} | hasPassword is read-only: that of this user is false",
                "{'hasPassword':'yes'} | hasPassword must be true or false",
                "{'createdAt':'2026-11-21T12:00:01Z'} | createdAt is read-only: that of this user"
                        + " is 2026-11-21T12:00:00.123456Z",
                "{'createdAt':'yesterday'} | createdAt is read-only: that of this user"
                        + " is 2026-11-21T12:00:00.123456Z",
                "{'createdAt':5} | createdAt must be a text of at most 64 characters"
            })
    void aReadOnlyMemberWithAnotherValueIsRefusedByName(String body, String why) throws Exception {
        assertThatThrownBy(() -> controller.change("ada@internal", body(body)))
                .isInstanceOf(Rejected.class)
                .hasMessageContaining(why);
        verify(accounts, never()).change(any(), any());
    }
}
