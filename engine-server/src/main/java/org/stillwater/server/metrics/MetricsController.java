package org.stillwater.server.metrics;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.server.metrics.CollectorTimes.Collector;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.MetricsSettings;

/**
 * Series of every VM and host for Prometheus: {@code /metrics/vms} and {@code /metrics/hosts}, and
 * under the names of ovirt_exporter {@code /metrics/exporter/vms} and {@code …/hosts}. Written
 * sample by sample as they are read, so that a scrape of a hundred thousand VMs needs one buffer; a
 * fleet may be scraped in shards.
 */
@RestController
@RequestMapping("/metrics")
class MetricsController {

    private static final Pattern SHARD = Pattern.compile("(\\d{1,4})/(\\d{1,4})");
    private static final int MOST_SHARDS = 1_000;
    private static final int MOST_FAMILIES = 100;

    private final FleetReader fleet;
    private final EngineClock clock;
    private final MetricsSettings settings;
    private final Duration staleAfter;
    private final Callers callers;
    private final OvirtApi ovirt;
    private final @Nullable CommandEngine commands;
    private final CollectorTimes times = new CollectorTimes();
    private final List<Family<VmScrape>> usual;

    MetricsController(
            FleetReader fleet,
            OvirtApi ovirt,
            ObjectProvider<CommandEngine> commands,
            EngineClock clock,
            MetricsSettings settings,
            CycleSettings cycle,
            Callers callers) {
        this.callers = callers;
        this.fleet = fleet;
        this.ovirt = ovirt;
        this.commands = commands.getIfAvailable();
        this.clock = clock;
        this.settings = settings;
        this.staleAfter = cycle.interval().multipliedBy(2);
        try {
            this.usual = VmFamilies.select(settings.vmFamilies());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "stillwater.metrics.vm-families: " + e.getMessage(), e);
        }
    }

    @GetMapping("/vms")
    void vms(
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String shard,
            @RequestParam(defaultValue = "") String families,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        vms(host, shard, families(families), settings.exporterNames(), request, response);
    }

    /** VMs and their disks under the names of ovirt_exporter alone. */
    @GetMapping("/exporter/vms")
    void exporterVms(
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String shard,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        vms(host, shard, List.of(), true, request, response);
    }

    private List<Family<VmScrape>> families(String text) {
        if (text.isBlank()) {
            return usual;
        }
        try {
            return VmFamilies.select(List.of(text.split(",", MOST_FAMILIES)));
        } catch (IllegalArgumentException e) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, e.getMessage(), e);
        }
    }

    private void vms(
            String host,
            String shard,
            List<Family<VmScrape>> families,
            boolean exporterNames,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Predicate<VmReading> wanted = onHost(host).and(inShard(shard));
        Caller caller = callers.current();
        if (!caller.has(Role.SCRAPER)) {
            wanted = wanted.and(vm -> caller.has(Role.SCRAPER, vm.id(), vm.definition().cluster()));
        }
        boolean openMetrics = open(request, response);
        Exposition out = new Exposition(response.getOutputStream(), openMetrics);
        VmScrape scrape =
                new VmScrape(
                        out,
                        fleet.readings(),
                        wanted,
                        new Names(),
                        clock.now().toEpochMilli(),
                        staleAfter.toMillis());
        long begun = clock.nanoTime();
        scrape.write(families);
        if (exporterNames) {
            scrape.write(ExporterFamilies.ofVms(ovirt.storage()::disks));
            times.tell(out, List.of(Collector.VM));
            times.took(Collector.VM, clock.nanoTime() - begun);
        }
        out.end();
    }

    @GetMapping("/hosts")
    void hosts(
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String shard,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        hosts(host, shard, HostFamilies.ALL, settings.exporterNames(), request, response);
    }

    /** Hosts and storage domains under the names of ovirt_exporter alone. */
    @GetMapping("/exporter/hosts")
    void exporterHosts(
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String shard,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        hosts(host, shard, List.of(), true, request, response);
    }

    private void hosts(
            String host,
            String shard,
            List<Family<ScrapedHost>> families,
            boolean exporterNames,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Shard part = Shard.of(shard);
        Caller caller = callers.current();
        HostId one = host.isBlank() ? null : hostId(host);
        long now = clock.now().toEpochMilli();
        List<ScrapedHost> hosts =
                fleet.hosts().stream()
                        .filter(view -> {
                            HostId id = view.state().definition().id();
                            return caller.has(Role.SCRAPER, view.state().definition().cluster())
                                    && (host.isBlank() || id.equals(one))
                                    && part.has(id.value().hashCode());
                        })
                        .map(view ->
                                ScrapedHost.of(
                                        view,
                                        name(view.state().definition().cluster()),
                                        now,
                                        staleAfter.toMillis()
                                                + fleet.slackMillis(
                                                        view.state().definition().id())))
                        .toList();
        boolean openMetrics = open(request, response);
        Exposition out = new Exposition(response.getOutputStream(), openMetrics);
        long begun = clock.nanoTime();
        Family.write(out, families, hosts);
        if (exporterNames) {
            Family.write(out, ExporterFamilies.ofHosts(hosts), hosts);
            long told = clock.nanoTime();
            // Storage has no hosts, so that it is in the first shard.
            if (caller.has(Role.SCRAPER) && host.isBlank() && part.index() == 0) {
                Family.write(out, ExporterFamilies.ofStorage(), ovirt.storage().domains());
            }
            times.tell(out, List.of(Collector.HOST, Collector.STORAGE));
            times.took(Collector.HOST, told - begun);
            times.took(Collector.STORAGE, clock.nanoTime() - told);
        }
        out.end();
    }

    /** Names as they are now. */
    private final class Names implements VmScrape.Names {
        @Override
        public String of(HostId host) {
            HostView view = fleet.host(host);
            return view == null ? host.toString() : view.state().definition().name();
        }

        @Override
        public String of(ClusterId cluster) {
            return name(cluster);
        }

        @Override
        public long slackMillis(@Nullable HostId host) {
            return fleet.slackMillis(host);
        }

        @Override
        public @Nullable RunDefinition running(VmReading vm) {
            return commands == null ? null : commands.definitions().running(vm.id(), vm.state());
        }
    }

    private String name(ClusterId id) {
        Cluster cluster = fleet.cluster(id);
        return cluster == null ? id.toString() : cluster.name();
    }

    private Predicate<VmReading> onHost(String text) {
        if (text.isBlank()) {
            return _ -> true;
        }
        HostId id = hostId(text);
        return vm -> vm.state().placement().isOn(id);
    }

    /** A host that does not exist, or that the caller may not scrape: the target is wrong. */
    private HostId hostId(String text) {
        HostView named = fleet.hostNamed(text);
        if (named == null) {
            try {
                named = fleet.host(HostId.parse(text));
            } catch (IllegalArgumentException _) {
                // no name and no id: answered below
            }
        }
        if (named == null
                || !callers.current().has(Role.SCRAPER, named.state().definition().cluster())) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND,
                    "There is no host " + text.substring(0, Math.min(64, text.length())) + ".");
        }
        return named.state().definition().id();
    }

    private static Predicate<VmReading> inShard(String text) {
        Shard shard = Shard.of(text);
        return shard.count() == 1 ? _ -> true : vm -> shard.has(vm.id().hashCode());
    }

    /**
     * A part of the fleet: by identity, so that its members stay in it.
     *
     * @param index from 0
     * @param count all parts
     */
    private record Shard(int index, int count) {

        static Shard of(String text) {
            if (text.isBlank()) {
                return new Shard(0, 1);
            }
            Matcher written = SHARD.matcher(text.strip());
            if (written.matches()) {
                int index = Integer.parseInt(written.group(1));
                int count = Integer.parseInt(written.group(2));
                if (index < count && count <= MOST_SHARDS) {
                    return new Shard(index, count);
                }
            }
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST,
                    "shard is i/n with i from 0 to n-1 and n up to %d, such as 0/4"
                            .formatted(MOST_SHARDS));
        }

        boolean has(int hash) {
            return count == 1 || Math.floorMod(hash, count) == index;
        }
    }

    /** Whether OpenMetrics is requested; sets the answer's content type. */
    private static boolean open(HttpServletRequest request, HttpServletResponse response) {
        boolean openMetrics = false;
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        if (accept != null) {
            double text = -1;
            double open = -1;
            try {
                for (MediaType type : MediaType.parseMediaTypes(accept)) {
                    if (type.getType().equals("application")
                            && type.getSubtype().equals("openmetrics-text")) {
                        open = Math.max(open, type.getQualityValue());
                    } else if (type.isCompatibleWith(MediaType.TEXT_PLAIN)) {
                        text = Math.max(text, type.getQualityValue());
                    }
                }
            } catch (InvalidMediaTypeException _) {
                // a client without a usable Accept gets the format that every collector accepts
            }
            openMetrics = open > 0 && open >= text;
        }
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setContentType(openMetrics ? Exposition.OPEN_METRICS : Exposition.PROMETHEUS);
        // A scrape is of a moment; without a tag it is neither kept nor hashed.
        return openMetrics;
    }
}
