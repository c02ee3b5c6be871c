package org.stillwater.server.ovirt;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.server.health.DatabaseProbe;

/** Whether the engine works, as load balancers of oVirt ask it (REST specification §1.1). */
@RestController
class HealthPage {

    private final DatabaseProbe database;

    HealthPage(DatabaseProbe database) {
        this.database = database;
    }

    @GetMapping("/ovirt-engine/services/health")
    ResponseEntity<String> health() {
        boolean up = database.problem() == null;
        return ResponseEntity.status(up ? 200 : 500)
                .contentType(MediaType.TEXT_HTML)
                .body(up ? "DB Up! The engine works." : "DB Down! The database does not answer.");
    }
}
