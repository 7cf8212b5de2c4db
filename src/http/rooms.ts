// The rooms that handlers are made of.
import type { Clock } from '#core/clock.ts';
import type { Database } from '#storage/database.ts';
import type { StartingBrowser } from '#browser/starting-browser.ts';
import type { AccountDeletion } from '#accounts/account-deletion.ts';
import type { AccountsRoom } from '#accounts/room.ts';
import type { DeliveryRoom } from '#delivery/room.ts';
import type { MeteringRoom } from '#metering/room.ts';
import type { UploadsRoom } from '#uploads/room.ts';
import type { RendersRoom } from '#renders/room.ts';

export interface Rooms {
  clock: Clock;
  database: Database;
  browser: StartingBrowser;
  accounts: AccountsRoom & { accountDeletion: AccountDeletion };
  delivery: DeliveryRoom;
  metering: MeteringRoom;
  uploads: UploadsRoom;
  renders: RendersRoom;
}
