package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One request takes no more than it may. */
class LimitsTest {

    private final Asked asked = new Asked(new SmallFleet(), new Limits(10, 2, 3, 400, 8));

    @Test
    void tooMuchAtOnceIsRefusedWithAdvice() {
        assertThat(asked.get("/vms?follow=statistics,nics").status()).isEqualTo(200);
        Answer refused = asked.get("/vms?follow=statistics,nics,snapshots");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(asked.text(refused)).contains("would have 12 entities", "max, search or follow");
    }

    @Test
    void pathsOfFollowAreBounded() {
        assertThat(asked.text(asked.get("/vms?follow=nics.vnic_profile.network")))
                .contains("may have 2 steps, not 3");
        assertThat(asked.text(asked.get("/vms?follow=nics,cdroms,tags,snapshots")))
                .contains("may have 3 steps in all");
    }

    @Test
    void aPathOfFollowThatLeadsNowhereIsRefused() {
        Answer refused = asked.get("/vms?follow=nics.nothing");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(asked.text(refused)).contains("\"nothing\" of follow is neither", "vnicprofile");
    }

    @Test
    void longPathsAndQueriesAreRefused() {
        assertThat(asked.get("/vms?search=" + "a".repeat(400)).status()).isEqualTo(400);
        assertThat(asked.get("/a/b/c/d/e/f/g/h/i/j").status()).isEqualTo(404);
        assertThat(asked.get("/vms?search=%zz").status()).isEqualTo(400);
    }

    @Test
    void namesOfFollowMayHaveUnderscoresOrNot() {
        for (String name :
                new String[] {"disk_attachments", "diskattachments", "DiskAttachments"}) {
            assertThat(asked.xml("/vms/" + SmallFleet.WEB + "?follow=" + name))
                    .as(name)
                    .contains("<disk_attachments><disk_attachment");
        }
    }
}
