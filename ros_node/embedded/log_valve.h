/* What Cyclone logs, to standard error, but no more than some lines a second: a peer that sends malformed packets must not fill the disk. */
#ifndef FILUM_EMBEDDED_LOG_VALVE_H
#define FILUM_EMBEDDED_LOG_VALVE_H

typedef struct FilLogValve FilLogValve;

/* Takes over the log of this process; NULL, and nothing changes, when out of memory. */
FilLogValve* fil_log_valve_open(void);
void fil_log_valve_close(FilLogValve* valve);

#endif
