package org.stillwater.server.ovirt;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Which USB devices a console may pass on to its VM, as ovirt-web-ui asks when it starts (REST
 * specification §5.8): rules of five numbers – class, vendor, product, version, whether it may – of
 * which -1 stands for any. There is one, by which all may. Stateless.
 */
@RestController
class UsbFilter {

    private static final String ALL_MAY = "-1,-1,-1,-1,1\n";

    @GetMapping("/ovirt-engine/services/files/usbfilter.txt")
    ResponseEntity<String> rules() {
        return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(ALL_MAY);
    }
}
