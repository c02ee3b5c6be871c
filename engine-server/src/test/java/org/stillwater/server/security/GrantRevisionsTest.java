package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;

class GrantRevisionsTest {

    private static final Caller READER = Caller.withRole("a", Role.READER);
    private static final Caller OPERATOR = Caller.withRole("a", Role.OPERATOR);

    private final AtomicLong revision = new AtomicLong(100);
    private final GrantRevisions outlooks = new GrantRevisions(revision::incrementAndGet, 2);

    @Test
    void equalGrantsContinueFromAnyRevision() {
        assertThat(outlooks.sameSince("a", READER)).isEqualTo(Long.MIN_VALUE);
        assertThat(outlooks.sameSince("a", READER)).isEqualTo(Long.MIN_VALUE);
        assertThat(revision).hasValue(100);
    }

    @Test
    void changedGrantsContinueFromLaterRevisionsOnly() {
        outlooks.sameSince("a", READER);
        revision.set(200);
        assertThat(outlooks.sameSince("a", OPERATOR)).isEqualTo(201);
        assertThat(outlooks.sameSince("a", OPERATOR)).isEqualTo(201);
        assertThat(outlooks.sameSince("a", READER)).isEqualTo(202);
    }

    @Test
    void credentialsOfOneUserThatAllowDifferentThingsDoNotDisturbEachOther() {
        long login = outlooks.sameSince("a", READER);
        long token = outlooks.sameSince("token", OPERATOR);
        assertThat(outlooks.sameSince("a", READER)).isEqualTo(login);
        assertThat(outlooks.sameSince("token", OPERATOR)).isEqualTo(token);
    }

    @Test
    void grantsWithoutAUserMayHaveChanged() {
        assertThat(outlooks.sameSince(READER, READER)).isEqualTo(101);
        assertThat(outlooks.sameSince(OPERATOR, OPERATOR)).isEqualTo(102);
        assertThat(outlooks.sameSince(READER, READER)).isEqualTo(101);
    }

    @Test
    void forgottenGrantsCountAsChanged() {
        for (String bearer : new String[] {"a", "b", "c", "d"}) {
            outlooks.sameSince(bearer, READER);
        }
        long told = revision.get();
        long newest = 0;
        for (String bearer : new String[] {"a", "b", "c", "d"}) {
            newest = Math.max(newest, outlooks.sameSince(bearer, READER));
        }
        assertThat(newest).isGreaterThan(told);
    }
}
