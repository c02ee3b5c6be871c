package org.stillwater.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.ovirt.resource.StorageReport;

/** A scrape of a hundred thousand VMs holds one buffer, and no VM that it has written. */
class ScrapeMemoryTest {

    private static final int VMS = 100_000;
    private static final int BUFFER = 16 * 1024;
    private static final long NOW = 1_000_000;
    private static final int EACH_REMEMBERED = 500;

    /** Looks are expensive: each is a full collection. */
    private static final int LOOKS = 6;

    private final VmManager real = real();

    private static VmManager real() {
        VmRegistry registry = new VmRegistry(3);
        VmId id = new VmId(1, 1);
        VmStatic definition =
                new VmStatic(
                        "vm",
                        VmOrigin.OVIRT,
                        false,
                        4_096,
                        2_048,
                        2,
                        2,
                        1,
                        List.of(
                                new VmNic(
                                        new UUID(1, 1),
                                        "nic1",
                                        "56:6f:00:00:00:01",
                                        null,
                                        10_000)));
        VmState state =
                new VmState(
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(new HostId(new UUID(0, 1))),
                        0,
                        Instant.EPOCH,
                        0);
        registry.register(id, definition, state, _ -> {});
        VmManager vm = Objects.requireNonNull(registry.find(id));
        for (int poll = 0; poll < 3; poll++) {
            vm.statistics().update(sample(poll), NOW - 1_000 + poll, vm.cpus());
        }
        return vm;
    }

    private static VmSample sample(int poll) {
        VmSample sample = new VmSample();
        sample.cpuUserPercent = 12.25;
        sample.cpuSystemPercent = 5.5;
        sample.memoryUsagePercent = 40;
        sample.nicsReported = true;
        sample.disksReported = true;
        VmSample.Nic nic = sample.addNic();
        nic.mac = VmSample.Nic.macOf("56:6f:00:00:00:01");
        nic.receivedBytes = poll * 1_000L;
        nic.sentBytes = poll * 500L;
        nic.sampleTimeSeconds = poll * 15.0;
        VmSample.Disk disk = sample.addDisk();
        disk.name = "vda";
        disk.imageId = new VmId(2, 2);
        return sample;
    }

    /** As many VMs as one likes, each made when it is looked at. */
    private final class Fleet extends AbstractList<VmReading> {

        private final int size;
        private final List<WeakReference<VmReading>> seen = new ArrayList<>();
        private long looked;

        Fleet(int size) {
            this.size = size;
        }

        @Override
        public VmReading get(int index) {
            VmReading vm = new Seen(index);
            if (looked++ % EACH_REMEMBERED == 0) {
                seen.add(new WeakReference<>(vm));
            }
            return vm;
        }

        @Override
        public int size() {
            return size;
        }

        int alive() {
            System.gc();
            return (int) seen.stream().filter(each -> each.get() != null).count();
        }
    }

    private final class Seen implements VmReading {

        private final VmId id;

        Seen(int index) {
            id = new VmId(7, index);
        }

        @Override
        public VmId id() {
            return id;
        }

        @Override
        public VmStatic definition() {
            return real.definition();
        }

        @Override
        public long deviceDigest() {
            return real.deviceDigest();
        }

        @Override
        public VmState state() {
            return real.state();
        }

        @Override
        public long lastReportEpochMillis() {
            return NOW;
        }

        @Override
        public long whole(VmNumber number) {
            return real.whole(number);
        }

        @Override
        public double fraction(VmNumber number) {
            return real.fraction(number);
        }

        @Override
        public long observedEpochMillis() {
            return NOW;
        }

        @Override
        public void numbers(VmNumbers into) {
            real.numbers(into);
        }
    }

    /** Counts the written bytes, and sometimes checks the held VMs. */
    private static final class Sink extends OutputStream {

        private final Fleet fleet;
        private final long lookEvery;
        private long bytes;
        private long nextLook;
        private int largest;
        private int mostAlive;

        Sink(Fleet fleet, long lookEvery) {
            this.fleet = fleet;
            this.lookEvery = lookEvery;
            this.nextLook = lookEvery;
        }

        @Override
        public void write(int one) {
            throw new AssertionError("byte by byte");
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            bytes += length;
            largest = Math.max(largest, length);
            if (bytes >= nextLook) {
                nextLook = bytes + lookEvery;
                mostAlive = Math.max(mostAlive, fleet.alive());
            }
        }
    }

    private Sink scraped(int vms, long lookEvery) throws IOException {
        Fleet fleet = new Fleet(vms);
        Sink sink = new Sink(fleet, lookEvery);
        Exposition out = new Exposition(sink, false);
        StorageReport.Disk disk =
                new StorageReport.Disk("d", "vm_vda", "/dev/vda", "data", 1L << 30);
        VmScrape scrape = new VmScrape(out, fleet, _ -> true, new Names(), NOW, Integer.MAX_VALUE);
        scrape.write(VmFamilies.ALL);
        scrape.write(ExporterFamilies.ofVms(_ -> List.of(disk)));
        out.end();
        return sink;
    }

    private static final class Names implements VmScrape.Names {
        @Override
        public String of(HostId host) {
            return "host-1";
        }

        @Override
        public String of(ClusterId cluster) {
            return "cluster-1";
        }

        @Override
        public RunDefinition running(VmReading vm) {
            return null;
        }
    }

    @Test
    @DisplayName(
            "of 100 000 VMs no more is held than of 1 000, and no write is larger than a buffer")
    void scrapedVmsAreNotHeld() throws IOException {
        Sink small = scraped(1_000, Long.MAX_VALUE);
        Sink large = scraped(VMS, small.bytes * (VMS / 1_000) / LOOKS);
        assertThat(large.bytes).isGreaterThan(small.bytes * (VMS / 1_000 - 1));
        assertThat(small.largest).isLessThanOrEqualTo(BUFFER);
        assertThat(large.largest).isLessThanOrEqualTo(BUFFER);
        assertThat(large.fleet.seen).hasSizeGreaterThan(10_000);
        assertThat(large.mostAlive).as("VMs that were told and are held").isLessThanOrEqualTo(1);
    }
}
